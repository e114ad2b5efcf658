import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subscriber } from "../events/event-bus.ts";
import { appendToEnvFile, type CiOutputs, outputLines } from "./ci/env-file.ts";
import { InSections } from "./ci/in-sections.ts";
import { ciPlatform } from "./ci/platform.ts";
import { ProgressNotes } from "./ci/progress-notes.ts";
import { RunFacts } from "./ci/run-facts.ts";
import { stepSummary } from "./ci/step-summary.ts";
import type { RunResult } from "../runner/run-result.ts";
import type { CliIo } from "./io.ts";
import type { Environment } from "./options.ts";
import type { Settings } from "./settings-table.ts";

/** What a run with `--ci` leaves for the machine around it: sections, progress, summary and outputs. */
export class CiReport {
  readonly #env: Environment;
  readonly #facts = new RunFacts();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The printers, folding their steps where the platform can, and what else listens. */
  subscribers(printers: Subscriber[], settings: Settings, io: CliIo): Subscriber[] {
    if (settings.quiet) return [...printers, this.#facts];
    const platform = ciPlatform(this.#env);
    const printed = printers.map((printer) =>
      platform !== undefined && printer.name === "stdout-printer"
        ? new InSections(printer, { sink: io.notes, platform })
        : printer,
    );
    return [...printed, this.#facts, new ProgressNotes({ out: io.notes })];
  }

  /** @throws RuiZNError input_invalid when one of the runner's files cannot be written */
  finish(result: RunResult, { exitCode, json }: { exitCode: number; json: string }): void {
    this.#write({
      outputs: {
        conclusion: result.signal !== undefined ? "cancelled" : result.isError ? "failure" : "success",
        exit_code: String(exitCode),
        run_id: result.runId,
        result_file: this.#resultFile(result.runId, json),
      },
      summary: stepSummary(result, this.#facts),
    });
  }

  /** The run could not begin, or what it came to could not be told: the error at hand is the one to report. */
  failed(exitCode: number): void {
    try {
      this.#write({ outputs: { conclusion: "failure", exit_code: String(exitCode) }, summary: undefined });
    } catch {
      // A second error about the runner's files would only hide the first.
    }
  }

  #write({ outputs, summary }: { outputs: Partial<CiOutputs>; summary: string | undefined }): void {
    const { GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile } = this.#env;
    if (outputFile) appendToEnvFile("GITHUB_OUTPUT", outputFile, outputLines({ ...NONE, ...outputs }));
    if (summaryFile && summary !== undefined)
      appendToEnvFile("GITHUB_STEP_SUMMARY", summaryFile, `${summary}\n`);
  }

  /** The JSON object as a file that later steps can read; beside the workspace, not in it. */
  #resultFile(runId: string, json: string): string {
    const folder = this.#env["RUNNER_TEMP"];
    if (!folder || !this.#env["GITHUB_OUTPUT"]) return "";
    const path = join(folder, `ruizn-${runId}-${process.pid}.json`);
    try {
      writeFileSync(path, json, { flag: "wx", mode: 0o600 });
      return path;
    } catch {
      return "";
    }
  }
}

const NONE: CiOutputs = {
  conclusion: "failure",
  exit_code: "",
  run_id: "",
  result_file: "",
  findings_count: "",
  sarif_file: "",
  structured_output: "",
};
