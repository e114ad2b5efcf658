import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const README = "# Tea\n\nTea is a drink made of leaves. It is drunk hot.\n";

let project: string;

/** An empty project with the packed package and its dependencies, laid out as npm does. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "ruizn-package-"));
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], {
      cwd: root,
      encoding: "utf8",
    }),
  ) as [{ filename: string }];
  const home = join(project, "node_modules/ruizn");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, filename), "-C", home, "--strip-components=1"]);
  for (const path of productionPackages()) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    cpSync(join(root, path), join(project, path), { recursive: true, dereference: true });
  }
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true }');
  writeFileSync(join(project, "README.md"), README);
  cpSync(join(root, "examples"), join(project, "examples"), { recursive: true });
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What `npm install --omit=dev` would install on this system. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; os?: string[]; cpu?: string[] }>;
  };
  const fits = (list: string[] | undefined, own: string) => !list || list.includes(own);
  return Object.entries(packages)
    .filter(
      ([path, { dev, os, cpu }]) =>
        path !== "" && !dev && fits(os, process.platform) && fits(cpu, process.arch),
    )
    .map(([path]) => path)
    .filter((path) => spawnSync("test", ["-d", join(root, path)]).status === 0);
}

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    env: { PATH: process.env["PATH"], TMPDIR: tmpdir(), HOME: project },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("the packed package in an empty project", () => {
  it.each([
    [
      "embed.mjs",
      /^\(offline planner: no language model\)\n\nREADME\.md .*\nHeading: Tea\n/,
      /success; the log is in /,
    ],
    [
      "own-subscriber.mjs",
      /^read_file: ok, \d+ bytes, thread\nlist_dir: ok, \d+ bytes, thread\nsuccess after 2 steps\n$/,
      /^$/,
    ],
    ["own-provider.mjs", /^# Tea\n$/, /^$/],
    ["own-tool.mjs", /^13 words \(process\)\n$/, /^$/],
  ])("runs examples/%s", (file, stdout, stderr) => {
    expect(node(join("examples", file))).toEqual({
      status: 0,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });

  it("gives the command, with a tool of one's own that imports ruizn/tool", () => {
    const tool = `import { defineTool } from "ruizn/tool";
      export default defineTool({ name: "hello", description: "Greets.", inputSchema: { type: "object" }, invoke: () => "hello" });`;
    writeFileSync(join(project, "hello.mjs"), tool);
    const bin = join("node_modules/ruizn", "dist/bin/ruizn.js");
    expect(node(bin, "tools", "call", "hello", "{}", "--tool", "hello.mjs")).toEqual({
      status: 0,
      stdout: "hello",
      stderr: "",
    });
    expect(node(bin, "run", "--goal", "Read README.md").status).toBe(0);
  });

  it("has types for tool authors: the input's type comes from the schema", () => {
    const source = `import { defineTool } from "ruizn/tool";
export default defineTool({
  name: "twice", description: "Doubles.",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  invoke: ({ n }) => n.toFixed(1),
});
export const wrong = defineTool({
  name: "wrong", description: "Wrong.",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  // @ts-expect-error a number has no such method
  invoke: ({ n }) => n.toUpperCase(),
});
`;
    writeFileSync(join(project, "types.mts"), source);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
    expect(node(tsc, ...flags, "types.mts")).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
