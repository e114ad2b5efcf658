import type { ToolErrorType } from "../errors.ts";
import type { ImageBlock } from "../messages.ts";
import type { ToolData } from "./tool-result.ts";
import type { Workspace } from "../sandbox/guard/workspace.ts";

/** What a body hands back. Text may be UTF-8 bytes: they are moved to the main thread instead of copied. */
export interface BodyResult {
  content: ({ type: "text"; text: string | Uint8Array } | ImageBlock)[];
  data?: ToolData;
}

export interface BodyContext {
  /** The one way to files: every open goes through the guard and leaves its evidence. */
  readonly workspace: Workspace;
  /** Aborted when the call's deadline passes or the run ends; the thread is terminated soon after. */
  readonly signal: AbortSignal;
}

/**
 * A tool's body: runs in a worker thread, never in the main thread. Expected failures are thrown as ToolFailure;
 * anything else that is thrown becomes `runtime_error`. Built-in bodies use synchronous file access only: it stays on
 * the sealed thread, while asynchronous access runs on libuv's pool, which the seal does not cover.
 */
export type ToolBody<Input = never> = (
  input: Input,
  context: BodyContext,
) => BodyResult | Promise<BodyResult>;

/** A failure that the model can act on. The message names the thing, the value and the way out. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly errorType: ToolErrorType;
  readonly data: ToolData;

  constructor(errorType: ToolErrorType, message: string, data: ToolData = {}) {
    super(message);
    this.errorType = errorType;
    this.data = data;
  }
}
