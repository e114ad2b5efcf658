import { join } from "node:path";
import type { RunPlace } from "../events/run-folder.ts";
import { shownCount } from "../events/shown-numbers.ts";
import { terminalLine, terminalText } from "../events/terminal-text.ts";
import { exportRun } from "../log/export-run.ts";
import { listRuns, type RunSummary, summarizeRun } from "../log/summarize-run.ts";
import { verifyLog } from "../log/verify-log.ts";
import { EXIT } from "./exit-codes.ts";
import { runFolder } from "./run-folder-argument.ts";
import { transcript } from "./run-transcript.ts";

interface Out {
  stdout: { write(text: string): void };
}

const GOAL_CHARS = 60;

/** `ruizn runs list`: one line a run, the newest first. */
export function runRunsList(io: Out, args: { place: RunPlace; json: boolean }): number {
  const runs = listRuns(args.place);
  if (args.json) io.stdout.write(`${JSON.stringify(runs.map(asJson))}\n`);
  else if (runs.length === 0) io.stdout.write("there are no runs here\n");
  else for (const run of runs) io.stdout.write(`${asRow(run)}\n`);
  return EXIT.success;
}

/**
 * `ruizn runs show RUN`: what happened, step by step, and whether the log is whole.
 * @throws RuiZNError input_invalid when there is no such run
 */
export function runRunsShow(io: Out, args: { place: RunPlace; run: string; json: boolean }): number {
  const path = runFolder(args.place, args.run);
  const summary = summarizeRun(path);
  const { whole, end } = verifyLog(path);
  if (args.json) {
    io.stdout.write(`${JSON.stringify({ ...asJson(summary), events: end.events, log_whole: whole })}\n`);
    return EXIT.success;
  }
  const { started } = summary;
  const rows: [string, string | undefined][] = [
    ["run", `${summary.runId} ${summary.state}`],
    ["started", summary.startedAt],
    ["goal", started?.goal],
    ["model", started && `${started.provider} ${started.model}`],
    ["workspace", started?.workspace],
    ["seal", started?.seal.state],
    [
      "log",
      `${path}, ${shownCount(end.events, "event")}, ${whole ? "whole" : "not whole: see `ruizn log verify`"}`,
    ],
  ];
  for (const [name, value] of rows) if (value) io.stdout.write(`${name.padEnd(10)}${terminalLine(value)}\n`);
  for (const line of transcript(path)) io.stdout.write(`${line}\n`);
  const { finished } = summary;
  for (const { code, message } of finished?.errors ?? []) {
    io.stdout.write(`error     ${code}: ${terminalLine(message)}\n`);
  }
  if (finished?.result) io.stdout.write(`\n${terminalText(finished.result).trimEnd()}\n`);
  return EXIT.success;
}

/**
 * `ruizn runs export RUN`: writes one file that `ruizn log verify` takes on another machine.
 * @throws RuiZNError input_invalid
 */
export async function runRunsExport(
  io: Out,
  args: { place: RunPlace; run: string; output: string | undefined },
): Promise<number> {
  const path = runFolder(args.place, args.run);
  const { runId } = summarizeRun(path);
  const file = args.output ?? join(args.place.workspace, `${runId}.tar.gz`);
  await exportRun(path, runId, file);
  io.stdout.write(`${terminalLine(file)}\n`);
  return EXIT.success;
}

function asRow({ runId, state, finished, started }: RunSummary): string {
  const goal = terminalLine(started?.goal ?? "");
  const shown = goal.length > GOAL_CHARS ? `${goal.slice(0, GOAL_CHARS - 1)}…` : goal;
  const steps = finished ? shownCount(finished.steps, "step") : "";
  return `${terminalLine(runId)}  ${state.padEnd(10)}  ${steps.padEnd(9)}  ${shown}`.trimEnd();
}

function asJson({ runId, path, state, startedAt, started, finished }: RunSummary): object {
  return {
    type: "run_summary",
    run_id: runId,
    path,
    state,
    started_at: startedAt ?? null,
    goal: started?.goal ?? null,
    provider: started?.provider ?? null,
    model: started?.model ?? null,
    num_steps: finished?.steps ?? null,
    terminal_reason: finished?.terminal_reason ?? null,
    usage: finished?.total_usage ?? null,
  };
}
