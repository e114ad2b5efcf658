import { TextDecoder } from "node:util";
import { parentPort } from "node:worker_threads";
import { LIMITS } from "../src/limits.ts";
import type { CallNote } from "../src/sandbox/protocol.ts";
import { readBytes } from "../src/tools/text/read-bytes.ts";
import { type BodyContext, ToolFailure } from "../src/tools/tool-body.ts";
import type { ToolContext, ToolWorkspace } from "../src/tools/user/tool-definition.ts";

/** More than these are dropped here: a thread that sends many more messages is ended. */
const NOTES_MAX = 50;

/** What a tool of the user's gets: the guarded workspace in a few plain methods, and a way to say something. */
export function toolContext(context: BodyContext, nonce: string): ToolContext {
  let notes = 0;
  const send = (note: Omit<CallNote, "nonce">): void => {
    if (++notes <= NOTES_MAX) parentPort?.postMessage({ nonce, ...note } satisfies CallNote);
  };
  const line = (level: CallNote["level"]) => (text: string) => send({ level, text: short(text) });
  return {
    workspace: toolWorkspace(context.workspace),
    log: { info: line("info"), warn: line("warn"), error: line("error") },
    get signal() {
      return context.signal;
    },
    progress: (text, share) => send({ level: "progress", text: short(text), ...sharePart(share) }),
  };
}

function short(text: unknown): string {
  return String(text).slice(0, LIMITS.noteMaxChars).toWellFormed();
}

function sharePart(share: unknown): { share?: number } {
  return typeof share === "number" && share >= 0 && share <= 1 ? { share } : {};
}

function toolWorkspace(workspace: BodyContext["workspace"]): ToolWorkspace {
  return {
    root: workspace.root,
    readText: (path, options) => decoded(path, readAll(workspace, path, options)),
    readBytes: (path, options) => readAll(workspace, path, options),
    list(path = ".") {
      const directory = workspace.openDirectory(path);
      try {
        return directory.entries().entries.map(({ name, kind }) => ({ name, kind }));
      } finally {
        directory.close();
      }
    },
    write(path, content) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      workspace.replaceFile(path, bytes, { createParents: true });
    },
  };
}

function readAll(
  workspace: BodyContext["workspace"],
  path: string,
  { maxBytes = LIMITS.readMaxBytes }: { maxBytes?: number } = {},
): Uint8Array {
  const most = Math.min(maxBytes, LIMITS.readMaxBytes);
  const file = workspace.openFile(path);
  try {
    const { bytes, complete } = readBytes(file, { maxBytes: most });
    if (complete) return bytes;
    throw new ToolFailure("output_limit", `${path} has more than ${most} bytes; read less of it`);
  } finally {
    file.close();
  }
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure("invalid_input", `${path} is not UTF-8 text`);
  }
}
