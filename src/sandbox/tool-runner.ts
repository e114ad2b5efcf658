import type { ToolErrorType } from "../errors.ts";
import type { SealReport } from "../events/run-event.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { ToolIsolation } from "../tools/tool-result.ts";
import type { CallNote, LayerSwitches } from "./protocol.ts";

/** What came of a call. A reply is a claim: whoever takes it re-checks it. */
export type PoolOutcome =
  | ({ kind: "reply"; reply: unknown; nonce: string } & ToolIsolation)
  | ({
      kind: "failed";
      errorType: ToolErrorType;
      message: string;
      /** What the worker had written to its own stdout and stderr. */
      output?: string;
    } & ToolIsolation);

/** Where tool bodies run, as those see it who call tools: whether in threads or in processes is not their affair. */
export interface ToolRunner {
  /** Canonical path of the workspace, and the device it lies on. */
  readonly root: string;
  readonly rootDev: number;
  readonly switches: LayerSwitches;
  /** Calls that may run at once. */
  readonly parallel: number;
  /** Starts the first worker and lets it attack its own seal, once; later calls get the same answer. */
  check(): Promise<SealReport>;
  /** Runs one call. Never rejects: whatever goes wrong is a `failed` outcome. */
  run(
    tool: BaseTool,
    input: unknown,
    options: { signal: AbortSignal; timeoutMs: number; onNote?: ((note: CallNote) => void) | undefined },
  ): Promise<PoolOutcome>;
  /** For a reply that was found to be false: what sent it serves no other call. */
  discard(outcome: PoolOutcome): void;
  /** Ends running calls as `cancelled` and all that runs them; takes no longer than a second. */
  close(): Promise<void>;
}
