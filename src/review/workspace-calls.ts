import type { ToolErrorType } from "../errors.ts";
import { ToolPool } from "../sandbox/tool-pool.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { GitChangesTool, type GitChangesInput } from "../tools/git-changes/spec.ts";
import { GlobTool } from "../tools/glob/spec.ts";
import { invokeTool } from "../tools/invoke-tool.ts";
import { ReadFileTool } from "../tools/read-file/spec.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import type { ToolData } from "../tools/tool-result.ts";

export type CallAnswer =
  | { ok: true; text: string; data: ToolData }
  | { ok: false; errorType: ToolErrorType; why: string };

export interface WorkspaceOptions {
  root: string;
  seal: "require" | "try";
  isolation?: "thread" | "process" | undefined;
  signal: AbortSignal;
}

const TIMEOUT_MS = 60_000;

/** The workspace as the review itself reads it: by the same tools as a model, each call in a sealed worker. */
export class WorkspaceCalls {
  readonly root: string;
  readonly parallel: number;
  readonly #pool: ToolPool;
  readonly #registry: ToolRegistry;
  readonly #signal: AbortSignal;

  /** @throws RuiZNError workspace_invalid */
  constructor({ root, seal, isolation, signal }: WorkspaceOptions) {
    this.#pool = new ToolPool({ root, seal, ...(isolation && { isolation }) });
    const tools: unknown[] = [new GitChangesTool(), new GlobTool(), new ReadFileTool()];
    this.#registry = new ToolRegistry(tools as BaseTool[]);
    this.#signal = signal;
    this.root = this.#pool.root;
    this.parallel = this.#pool.parallel;
  }

  git(input: GitChangesInput): Promise<CallAnswer> {
    return this.call("git_changes", input);
  }

  /** What a tool answers, as one text: what it says besides is in the data as well. */
  async call(name: string, input: unknown): Promise<CallAnswer> {
    const result = await invokeTool(
      { id: name, name, input },
      {
        registry: this.#registry,
        pool: this.#pool,
        policy: { decide: () => ({ allowed: true }) },
        signal: this.#signal,
        timeoutMs: TIMEOUT_MS,
      },
    );
    const [first] = result.content;
    const text = first?.type === "text" ? first.text : undefined;
    if (result.isError)
      return { ok: false, errorType: result.errorType ?? "runtime_error", why: plainReason(text ?? "") };
    // Of nothing it is said in words that it is nothing.
    if (result.data.bytes_total === 0) return { ok: true, text: "", data: result.data };
    if (text === undefined) return { ok: false, errorType: "invalid_input", why: "it is not text" };
    return { ok: true, text, data: result.data };
  }

  /** Works on all of them, as many at once as there are workers; the answers are in order. */
  async each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const answers: R[] = [];
    let next = 0;
    const take = async (): Promise<void> => {
      for (let at = next++; at < items.length; at = next++) answers[at] = await work(items[at] as T);
    };
    await Promise.all(Array.from({ length: this.parallel }, take));
    return answers;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Without the kind of error and the names of our own tools, which the user has not called. */
function plainReason(text: string): string {
  return text.replace(/^(?:[a-z_]+: )+/, "");
}
