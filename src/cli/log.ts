import { shownCount } from "../events/shown-numbers.ts";
import { terminalLine } from "../events/terminal-text.ts";
import type { RunPlace } from "../events/run-folder.ts";
import { findRun } from "../log/find-run.ts";
import type { LogReport } from "../log/log-report.ts";
import { withBundle } from "../log/open-bundle.ts";
import { verifyLog } from "../log/verify-log.ts";
import { EXIT } from "./exit-codes.ts";

interface Out {
  stdout: { write(text: string): void };
}

/**
 * `ruizn log verify RUN`.
 * @returns the exit code: 0 only for a whole log
 * @throws RuiZNError input_invalid when there is no such run
 */
export async function runLogVerify(
  io: Out,
  args: { place: RunPlace; run: string; json: boolean },
): Promise<number> {
  const found = findRun(args.place, args.run);
  const report =
    found.kind === "folder"
      ? verifyLog(found.path)
      : { ...(await withBundle(found.file, verifyLog)), path: found.file };
  io.stdout.write(args.json ? `${JSON.stringify(asJson(report))}\n` : asText(report));
  return report.whole ? EXIT.success : EXIT.failure;
}

function asJson(report: LogReport): object {
  const { path, runId, whole, problems, problemCount, end, tornBytes } = report;
  return {
    type: "log_report",
    path,
    run_id: runId ?? null,
    whole,
    events: end.events,
    bytes: end.bytes,
    torn_bytes: tornBytes,
    head: end.head,
    problem_count: problemCount,
    problems,
  };
}

function asText(report: LogReport): string {
  const { runId, whole, problems, problemCount, end, path } = report;
  const events = shownCount(end.events, "event");
  const lines = [
    `${terminalLine(runId ?? path)}: ${whole ? `whole, ${events}, sealed` : `not whole, ${events}`}`,
  ];
  for (const { kind, line, message } of problems) {
    lines.push(`  line ${line}: ${kind}: ${terminalLine(message)}`);
  }
  if (problemCount > problems.length) lines.push(`  and ${problemCount - problems.length} more`);
  lines.push(`  head ${end.head}`);
  return `${lines.join("\n")}\n`;
}
