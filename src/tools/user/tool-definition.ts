/** What a tool's own file may look like in the workspace. */
export interface ToolEntry {
  name: string;
  kind: "file" | "directory" | "symlink" | "other" | "unreadable";
}

/**
 * The workspace as a tool of your own reaches it: every path is relative to its root, and goes through the same guard as
 * the built-in tools'. Each method throws a failure that the model is told of (not found, not allowed).
 */
export interface ToolWorkspace {
  /** Canonical path of the root. */
  readonly root: string;
  /** UTF-8 text of a file. @param maxBytes more than this (default and most: 512 KiB) is an error, never a cut text. */
  readText(path: string, options?: { maxBytes?: number }): string;
  readBytes(path: string, options?: { maxBytes?: number }): Uint8Array;
  /** What is in a directory, sorted by name. */
  list(path?: string): ToolEntry[];
  /**
   * Creates or replaces a file as a whole (temp file and rename), parent folders included. Works only for a tool whose
   * `permissions.workspace` is `"write"`, and the kernel holds it to that.
   */
  write(path: string, content: string | Uint8Array): void;
}

/** What a tool's `invoke` gets besides its input. */
export interface ToolContext {
  readonly workspace: ToolWorkspace;
  /** Lines of the tool's own for the run's log and, from `warn` on, for the screen. Cut after 500 characters. */
  readonly log: Record<"info" | "warn" | "error", (text: string) => void>;
  /** Aborts shortly before the deadline; the thread is ended soon after. */
  readonly signal: AbortSignal;
  /** Says how far the call has come. @param share from 0 to 1. At most 50 of these and log lines are passed on. */
  progress(text: string, share?: number): void;
}

/** What `invoke` may give back: text for the model, or blocks with data for the log. */
export type ToolOutput =
  | string
  | { content: string | { type: "text"; text: string }[]; data?: Record<string, unknown> };

/** The default export of a tool's module. `Input`: what `inputSchema` lets through; `defineTool` takes it from there. */
// oxlint-disable-next-line typescript/no-explicit-any -- whoever names no type writes JavaScript
export interface ToolDefinition<Input = any> {
  /** Unique, and of the pattern `^[a-zA-Z0-9_-]{1,128}$`. */
  name: string;
  /** For the model: what it does, when to use it, what comes back. */
  description: string;
  /** JSON Schema (2020-12) of the input: an object. */
  inputSchema: object;
  /** What it asks for. Default: to read the workspace. There is no network, and no program can be started. */
  permissions?: { workspace?: "read" | "write" };
  /** Calling it twice with the same input changes nothing further (default: what reads is, what writes is not). */
  idempotent?: boolean;
  /** Milliseconds for one call; default: the run's. */
  timeoutMs?: number;
  invoke(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** What a definition says of itself; plain data, as it comes back from the process that has loaded the module. */
export interface ToolFacts {
  name: string;
  description: string;
  inputSchema: object;
  workspace: "read" | "write";
  idempotent: boolean;
  timeoutMs: number | null;
}
