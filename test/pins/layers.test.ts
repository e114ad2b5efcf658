import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Which areas an area may import from. Leaves may be imported by all; a test area or bench is not held to this. */
const ALLOWED: Record<string, readonly string[]> = {
  bin: ["cli"],
  cli: [
    "cli",
    "probe",
    "review",
    "runner",
    "events",
    "policy",
    "provider",
    "tools",
    "sandbox",
    "log",
    "redaction",
    "index",
  ],
  tool: ["tools"],
  runner: [
    "runner",
    "budget",
    "loop",
    "context",
    "events",
    "policy",
    "provider",
    "tools",
    "sandbox",
    "log",
    "redaction",
  ],
  loop: ["loop", "budget", "context", "events", "provider", "tools"],
  budget: ["budget", "events", "tools"],
  context: ["context", "events"],
  events: ["events"],
  log: ["log", "events", "context", "tools"],
  policy: ["policy", "tools"],
  provider: ["provider"],
  redaction: ["redaction", "tools"],
  testing: ["testing", "provider"],
  report: ["report"],
  review: ["review", "report", "runner", "events", "redaction", "tools", "sandbox"],
  probe: ["probe", "report", "runner", "events", "log", "policy", "provider", "testing", "tools", "sandbox"],
  tools: ["tools", "sandbox", "policy", "provider"],
  sandbox: ["sandbox", "tools", "events"],
  workers: ["workers", "sandbox", "tools"],
  index: [
    "runner",
    "budget",
    "loop",
    "context",
    "events",
    "policy",
    "provider",
    "tools",
    "sandbox",
    "log",
    "redaction",
  ],
};
const LEAVES = ["errors", "limits", "messages", "version"];

/** Outside packages and the one area that may import each. */
const PACKAGES: Record<string, string | readonly string[]> = {
  commander: "src/cli/",
  "@anthropic-ai/sdk": "src/provider/anthropic/",
  piscina: "src/sandbox/",
  ajv: "src/",
  nanoid: "src/runner/",
  koffi: ["workers/seal/", "src/sandbox/last-exit.ts"],
  "jsonc-parser": "src/cli/",
  diff: ["src/tools/", "src/review/"],
  sucrase: "src/tools/user/",
  re2js: "src/",
  "json-schema-to-ts": ["src/tools/", "src/tool.ts"],
  // In the text of the template that a new tool begins as.
  ruizn: "src/cli/tool-template.ts",
};

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

const imports = ["src", "workers", "bin"].flatMap(filesIn).flatMap(importsOf);

describe("imports", () => {
  it("go one way between the areas", () => {
    const wrong = imports
      .filter(({ target, typeOnly }) => target.startsWith(".") && !typeOnly)
      .map(({ file, target }) => ({ file, to: relative(root, resolve(root, dirname(file), target)) }))
      .filter(({ file, to }) => !isAllowed(areaOf(file), areaOf(to)))
      .map(({ file, to }) => `${file} → ${to}`);
    expect(wrong).toEqual([]);
  });

  it("bring in each outside package in one area alone", () => {
    const wrong = imports
      .filter(
        ({ target }) => !target.startsWith(".") && !target.startsWith("node:") && !target.startsWith("#"),
      )
      .filter(({ file, target }) => !homesOf(target).some((home) => file.startsWith(home)))
      .map(({ file, target }) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it("never bring worker code into the main thread", () => {
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith("src/") && target.includes("workers/"),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the environment", () => {
  it("is read in src/cli/options.ts alone (whether there is a person, in src/cli/io.ts), and by hostile code in the probe's cases", () => {
    const readers = ["src", "workers", "bin"]
      .flatMap(filesIn)
      .filter((file) => /\bprocess\.env\b/.test(readFileSync(join(root, file), "utf8")));
    const others = readers.filter((file) => !file.startsWith("src/probe/families/"));
    expect(others).toEqual(["src/cli/io.ts", "src/cli/options.ts"]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const pattern = /(?:^|\n)\s*(import|export)\s+(type\s+)?[^;"']*?from\s+"([^"]+)"|import\("([^"]+)"\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    target: match[3] ?? match[4] ?? "",
    typeOnly: match[2] !== undefined,
  }));
}

function areaOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  return top === "src" ? second.replace(/\.ts$/, "") : top;
}

function isAllowed(from: string, to: string): boolean {
  return LEAVES.includes(to) || (ALLOWED[from] ?? []).includes(to);
}

function homesOf(target: string): readonly string[] {
  return [PACKAGES[packageOf(target)] ?? []].flat();
}

function packageOf(target: string): string {
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
}
