import type { RunError, TerminalReason } from "../events/run-event.ts";
import type { Usage } from "../messages.ts";

export interface PermissionDenial {
  tool_name: string;
  tool_use_id: string;
  tool_input: unknown;
  message: string;
}

/** What a run came to. `isError` is true exactly when `subtype` is not `"success"`. */
export interface RunResult {
  runId: string;
  subtype: "success" | `error_${string}`;
  isError: boolean;
  /** The answer; what there is of it when the run did not succeed. */
  result: string;
  numSteps: number;
  durationMs: number;
  durationApiMs: number;
  /** US dollars by the price table; null when the model has no price in it. */
  totalCostUsd: number | null;
  usage: Usage;
  modelUsage: Record<string, Usage>;
  permissionDenials: PermissionDenial[];
  stopReason: string | null;
  terminalReason: TerminalReason;
  errors: RunError[];
  /** Which signal ended the run, when one did. */
  signal?: InterruptSignal;
  /** The folder of the run's log; undefined when nothing is logged. */
  runDir?: string;
}

export const INTERRUPT_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type InterruptSignal = (typeof INTERRUPT_SIGNALS)[number];
