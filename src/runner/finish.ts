import { dirname } from "node:path";
import type { Budget } from "../budget/budget.ts";
import type { ExecutionContext } from "../context/execution-context.ts";
import type { EventWriter } from "../events/event-writer.ts";
import { RunFinishedEvent } from "../events/run-event.ts";
import type { RunEnd } from "./run-end.ts";
import type { RunResult } from "./run-result.ts";
import type { RunTally } from "./run-tally.ts";

/** What a result is made from, besides how the run ended. */
export interface FinishedParts {
  context: ExecutionContext;
  tally: RunTally;
  budget: Budget;
  writer: EventWriter | undefined;
}

/** Marks the context as finished and says what the run came to. */
export function resultOf(parts: FinishedParts, end: RunEnd, durationMs: number): RunResult {
  const { context, tally, budget, writer } = parts;
  const isError = end.errors.length > 0;
  context.finish(isError ? (end.reason === "aborted" ? "aborted" : "error") : "success");
  return {
    runId: context.runId,
    subtype: isError ? `error_${end.errors[0]?.code ?? "internal"}` : "success",
    isError,
    result: end.text,
    numSteps: context.step,
    durationMs,
    durationApiMs: tally.durationApiMs,
    totalCostUsd: budget.costUsd,
    usage: context.usage,
    modelUsage: { ...tally.modelUsage },
    permissionDenials: tally.denials,
    stopReason: end.stopReason,
    terminalReason: end.reason,
    errors: end.errors,
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(writer === undefined ? {} : { runDir: dirname(writer.path) }),
  };
}

/** The run's last event, with what the result says. */
export function finishedEvent(result: RunResult): RunFinishedEvent {
  const aborted = result.terminalReason === "aborted";
  return new RunFinishedEvent({
    status: result.isError ? (aborted ? "aborted" : "error") : "success",
    terminal_reason: result.terminalReason,
    stop_reason: result.stopReason,
    steps: result.numSteps,
    duration_ms: result.durationMs,
    duration_api_ms: result.durationApiMs,
    total_usage: result.usage,
    result: result.result,
    errors: result.errors,
    ...(result.signal === undefined ? {} : { signal: result.signal }),
  });
}
