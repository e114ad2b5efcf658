import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const run = promisify(execFile);

/** Lines of the README's shell blocks. */
const lines = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);
/** What follows `npx ruizn` in them; set-up steps before `&&` are the CI script's to run. */
const commands = lines.flatMap((line) => /npx (ruizn .+)$/.exec(line)?.[1] ?? []);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ruizn-readme-"));
  for (const name of ["README.md", "package.json", "docs"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the README", () => {
  it("sets everything up in two commands: the main job, and the tests", () => {
    const [main, test] = ["main", "test"].map(
      (name) => new RegExp(`<!-- command: ${name} -->\\n\`\`\`sh\\n(.*)\\n\`\`\``).exec(readme)?.[1],
    );
    expect(main).toMatch(/^npm ci && npm run build && npx ruizn run --goal "/);
    expect(test).toBe("npm ci && npm test");
  });

  it("shows commands", () => {
    expect(commands.length).toBeGreaterThan(4);
  });

  it.each(commands)("%s works as it stands", async (command) => {
    const script = command.replace(/^ruizn/, `"${process.execPath}" "${join(root, "dist/bin/ruizn.js")}"`);
    const { PATH = "", HOME = "" } = process.env;
    const { stdout } = await run("bash", ["-euc", `${script} </dev/null`], {
      cwd: folder,
      env: { PATH, HOME },
    });
    expect(stdout).not.toBe("");
  });

  it("links only to files that exist", () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = ""]) => link);
    const missing = links
      .filter((link) => !link.startsWith("http"))
      .filter((link) => !exists(join(root, link)));
    expect(missing).toEqual([]);
  });
});

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
