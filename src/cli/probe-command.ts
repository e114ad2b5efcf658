import { RuiZNError } from "../errors.ts";
import type { ProbeCase } from "../probe/case.ts";
import type { CaseReport } from "../probe/run-probe.ts";
import { EXIT, exitCodeOfSignal } from "./exit-codes.ts";
import type { InterruptSignal } from "../runner/run-result.ts";
import type { CliIo } from "./io.ts";
import { readBaseline, sinceBaseline } from "./probe-baseline.ts";
import { caseLines, probeJson, ProbeProgress, probeTable } from "./probe-output.ts";
import type { ParsedCommand } from "./program.ts";
import { ResultFile } from "./result-file.ts";

/**
 * `ruizn probe`: attacks this installation on this machine. The exit code is 0 when nothing escaped and no case broke.
 * @throws RuiZNError usage_invalid, input_invalid
 */
export async function probeCommand({ oneOff }: ParsedCommand, io: CliIo): Promise<number> {
  const { CATALOGUE, probeJunit, probeSarif, runProbe } = await import("../probe/index.ts");
  const cases = chosen(CATALOGUE, oneOff["family"], oneOff["case"]);
  const isolation = isolationOf(oneOff["isolation"]);
  if (oneOff["list"] !== undefined) {
    io.stdout.write(caseLines(cases, oneOff["json"] !== undefined));
    return EXIT.success;
  }
  const cwd = process.cwd();
  const baseline = oneOff["baseline"] === undefined ? undefined : readBaseline(oneOff["baseline"], cwd);
  const files = { sarif: resultFile("sarif", oneOff, cwd), junit: resultFile("junit", oneOff, cwd) };
  const progress = new ProbeProgress(io.stderr, cases.length);
  const signal = io.stopSignal();
  const startedAt = performance.now();
  const reports = await runProbe({
    cases,
    stage: isolation === undefined ? {} : { isolation },
    signal,
    onCase: (report, done) => progress.after(report, done),
  });
  progress.end();
  const finished = !signal.aborted;
  files.sarif?.write(probeSarif(reports, { finished }));
  files.junit?.write(probeJunit(reports));
  const run = {
    reports,
    isolation: isolation ?? DEFAULT_TIERS,
    finished,
    tookMs: Math.round(performance.now() - startedAt),
  };
  const changes = baseline && sinceBaseline(baseline, reports);
  io.stdout.write(oneOff["json"] === undefined ? probeTable(run, changes) : probeJson(run, changes));
  if (!finished) return exitCodeOfSignal(signal.reason as InterruptSignal);
  return reports.some(isBad) ? EXIT.failure : EXIT.success;
}

/** What a run does when nobody says otherwise. */
const DEFAULT_TIERS = "default (tools of one's own in processes)";

const isBad = ({ outcome }: CaseReport): boolean => outcome === "escaped" || outcome === "error";

function chosen(
  all: readonly ProbeCase[],
  families: string | undefined,
  ids: string | undefined,
): readonly ProbeCase[] {
  const wanted = { family: words(families), id: words(ids) };
  for (const [key, names] of Object.entries(wanted)) {
    const known = new Set(all.map((probe) => probe[key as "family" | "id"]));
    const unknown = names?.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new RuiZNError("usage_invalid", `there is no ${key === "id" ? "case" : key} "${unknown}"`, {
        hint: "see `ruizn probe --list`",
      });
  }
  return all.filter(
    ({ family, id }) => (wanted.family?.includes(family) ?? true) && (wanted.id?.includes(id) ?? true),
  );
}

function words(list: string | undefined): string[] | undefined {
  return list?.split(",").map((word) => word.trim());
}

function isolationOf(value: string | undefined): "thread" | "process" | undefined {
  if (value === undefined || value === "thread" || value === "process") return value;
  throw new RuiZNError("usage_invalid", `--isolation takes thread or process, not "${value}"`);
}

function resultFile(
  flag: "sarif" | "junit",
  oneOff: ParsedCommand["oneOff"],
  cwd: string,
): ResultFile | undefined {
  const path = oneOff[flag];
  return path === undefined ? undefined : new ResultFile(flag, path, cwd);
}
