import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const DIST = new URL("../../dist/src/", import.meta.url).href;

/** What makes a process of its own of a command, and how it words things: nothing that an agent is built from. */
const OF_THE_COMMAND_ALONE = new Set([
  // The process: its last exit, and a thread or host that is launched before anything is known.
  "lastExit",
  "Ahead",
  // The words and numbers of its notes.
  "inputLine",
  "contextLine",
  "shownBytes",
  "shownCount",
  "shownDuration",
  // What doctor explains of the seal.
  "ATTEMPTS",
  "REFUSED",
  "SyscallGroup",
  "Tier",
  // The probe switches layers off, which no library option does.
  "CaseReport",
  "OUTCOMES",
  "Outcome",
  "ProbeCase",
  // What a review is asked for and what it came to: data of its own.
  "Format",
  "KnownFinding",
  "ModelPart",
  "ScannedScope",
  "ReviewReport",
  "ScopeRequest",
  "Severity",
]);

it.each([["index.js"], ["tool.js"], ["testing.js"]])("%s exports these names and no others", async (file) => {
  const names = Object.keys((await import(DIST + file)) as object).toSorted();
  expect(names).toMatchSnapshot();
});

it("the command takes from the rest what any user of the library can", () => {
  const index = readFileSync(join(root, "src/index.ts"), "utf8");
  const files = readdirSync(join(root, "src/cli"), { recursive: true, encoding: "utf8" });
  const wrong = files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      importsOf(readFileSync(join(root, "src/cli", file), "utf8"))
        .filter(({ name, from }) => !isPublic(index, name, from) && !OF_THE_COMMAND_ALONE.has(name))
        .map(({ name, from }) => `${file}: ${name} of ${from}`),
    );
  expect(wrong).toEqual([]);
});

/** Names imported from outside src/cli. */
function importsOf(text: string): { name: string; from: string }[] {
  return [...text.matchAll(/import (?:type )?\{([^}]*)\} from "(?:\.\.\/)+([^"]+)"/g)].flatMap(
    ([, names = "", from = ""]) =>
      names
        .split(",")
        .map((name) =>
          name
            .trim()
            .replace(/^type /, "")
            .replace(/ as .*$/, ""),
        )
        .filter((name) => name !== "")
        .map((name) => ({ name, from })),
  );
}

function isPublic(index: string, name: string, from: string): boolean {
  const statement = new RegExp(
    `export (?:type )?(\\*|\\{[^}]*\\}) from "\\./${from.replaceAll(".", "\\.")}"`,
  ).exec(index);
  if (statement?.[1] === "*") return true;
  return new RegExp(`\\b${name}\\b`).test(statement?.[1] ?? "");
}
