import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { BodyResult, ToolBody } from "../../src/tools/tool-body.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";

/** A temp folder with files in it, and a way to run a tool's body there as a worker would. */
export interface ToolFolder {
  readonly root: string;
  write(files: Record<string, string | Uint8Array>): void;
  run<Input>(body: ToolBody<Input>, input: Input): Promise<Outcome>;
  remove(): void;
}

/** What came out, with bytes shown as text. */
export type Outcome =
  | { ok: true; texts: string[]; content: BodyResult["content"]; data: Record<string, unknown> }
  | { ok: false; errorType: string; message: string; data: Record<string, unknown> };

export function makeToolFolder(files: Record<string, string | Uint8Array> = {}): ToolFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-tool-")));
  const write: ToolFolder["write"] = (more) => {
    for (const [path, content] of Object.entries(more)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  };
  write(files);
  return {
    root,
    write,
    run: (body, input) => runBody(root, body, input),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function runBody<Input>(root: string, body: ToolBody<Input>, input: Input): Promise<Outcome> {
  const workspace = openWorkspace({ root });
  try {
    const result = await body(input, { workspace, signal: new AbortController().signal });
    const texts = result.content.flatMap((block) => (block.type === "text" ? [textOf(block.text)] : []));
    return { ok: true, texts, content: result.content, data: result.data ?? {} };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ok: false, errorType: error.errorType, message: error.message, data: error.data };
  } finally {
    workspace.close();
  }
}

function textOf(text: string | Uint8Array): string {
  return typeof text === "string"
    ? text
    : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
}
