import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { Workspace } from "../../src/sandbox/guard/workspace.ts";
import { editFileBody } from "../../src/tools/edit-file/body.ts";
import { grepBody } from "../../src/tools/grep/body.ts";
import { FILE_MAX_BYTES } from "../../src/tools/grep/search.ts";
import { readFileBody } from "../../src/tools/read-file/body.ts";
import { type BodyResult, type ToolBody, ToolFailure } from "../../src/tools/tool-body.ts";
import { toolContext } from "../../workers/tool-context.ts";
import { hookedWorkspace } from "../support/hooked-workspace.ts";
import { makeToolFolder, type ToolFolder } from "../support/tool-workspace.ts";

const SHORT = "line\n".repeat(10);
const LONG = "line\n".repeat(20_000);
const GROWTH = "more\n".repeat(400_000);

const folders: ToolFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

/** A workspace in which another process changes the file as soon as its size has been looked at. */
function changing(text: string, change: (file: string) => void): { file: string; workspace: Workspace } {
  const folder = makeToolFolder({ f: text });
  folders.push(folder);
  const workspace = openWorkspace({ root: folder.root });
  const file = join(folder.root, "f");
  let changed = false;
  const openFile: Workspace["openFile"] = (path) => {
    const opened = workspace.openFile(path);
    if (!changed) change(file);
    changed = true;
    return opened;
  };
  const open: Workspace["open"] = (path) => (path === "f" ? openFile(path) : workspace.open(path));
  return { file, workspace: hookedWorkspace(workspace, { openFile, open }) };
}

const grow = (more: string) => (file: string) => appendFileSync(file, more);
const shrink = (file: string): void => truncateSync(file, 5);

async function run<Input>(body: ToolBody<Input>, input: Input, workspace: Workspace): Promise<BodyResult> {
  try {
    return await body(input, { workspace, signal: new AbortController().signal });
  } finally {
    workspace.close();
  }
}

function textOf({ content }: BodyResult): string {
  return content
    .map((block) => (block.type === "text" ? Buffer.from(block.text as string).toString() : ""))
    .join("");
}

describe("a file that grows while it is read", () => {
  it("is shown up to the limit, and how large it is is not claimed", async () => {
    const { workspace } = changing(SHORT, grow(GROWTH));
    const result = await run(readFileBody, { path: "f" }, workspace);
    expect(result.data).toMatchObject({ bytes_total: null, truncated: true });
    expect(textOf(result).length).toBeLessThan(LIMITS.readDefaultBytes + 500);
  });

  it("is shown to its new end when that is near", async () => {
    const { workspace } = changing(SHORT, grow("more\n"));
    const result = await run(readFileBody, { path: "f" }, workspace);
    expect(textOf(result)).toBe(`${SHORT}more\n`);
    expect(result.data).toMatchObject({ bytes_total: 55, truncated: false });
  });

  it("is searched up to the limit", async () => {
    const { workspace } = changing(SHORT, grow(GROWTH.repeat(6)));
    const result = await run(grepBody, { pattern: "line|more", path: "f", output_mode: "count" }, workspace);
    const [, count = ""] = /^f:(\d+)/.exec(textOf(result)) ?? [];
    expect(result.data).toMatchObject({ files_searched: 1, files_searched_partly: 1 });
    expect(Number(count)).toBeLessThanOrEqual(FILE_MAX_BYTES / 5 + 1);
  });

  it("is edited with what has come, or not at all", async () => {
    const edits = [{ old_string: "line\nmore", new_string: "line\nless" }];
    const { file, workspace } = changing(SHORT, grow("more\n"));
    await run(editFileBody, { path: "f", edits }, workspace);
    expect(readFileSync(file, "utf8")).toBe(`${SHORT}less\n`);
    const large = changing(SHORT, grow(GROWTH));
    await expect(run(editFileBody, { path: "f", edits }, large.workspace)).rejects.toThrow(
      "f grows while it is read; files over 524,288 bytes are not changed",
    );
  });

  it("is given to a tool of one's own to its end, or not at all", () => {
    const signal = new AbortController().signal;
    const near = changing(SHORT, grow("more\n"));
    expect(toolContext({ workspace: near.workspace, signal }, "").workspace.readText("f")).toBe(
      `${SHORT}more\n`,
    );
    const far = changing(SHORT, grow(GROWTH));
    const { workspace } = toolContext({ workspace: far.workspace, signal }, "");
    expect(() => workspace.readText("f")).toThrow(
      new ToolFailure("output_limit", "f has more than 524288 bytes; read less of it"),
    );
    for (const { workspace: opened } of [near, far]) opened.close();
  });
});

describe("a file that shrinks while it is read", () => {
  it("is shown as it is then, with nothing after its end", async () => {
    const { workspace } = changing(LONG, shrink);
    const result = await run(readFileBody, { path: "f" }, workspace);
    expect([textOf(result), result.data]).toEqual([
      "line\n",
      expect.objectContaining({ bytes_total: 5, bytes_shown: 5, truncated: false }),
    ]);
  });

  it("is searched as it is then", async () => {
    const { workspace } = changing(LONG, shrink);
    const result = await run(grepBody, { pattern: "line", path: "f", output_mode: "count" }, workspace);
    expect(textOf(result)).toBe("f:1\n");
  });

  it("is given to a tool of one's own as it is then", () => {
    const { workspace } = changing(LONG, shrink);
    const context = toolContext({ workspace, signal: new AbortController().signal }, "");
    expect(context.workspace.readText("f")).toBe("line\n");
    workspace.close();
  });
});
