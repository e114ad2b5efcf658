import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { RuiZNError } from "../../errors.ts";

/** What a step tells the steps after it. All are always there; what is not known is empty. */
export interface CiOutputs {
  conclusion: "success" | "failure" | "cancelled";
  exit_code: string;
  run_id: string;
  result_file: string;
  findings_count: string;
  sarif_file: string;
  structured_output: string;
}

/** The outputs as `$GITHUB_OUTPUT` takes them: each ends at a line that nobody could know before. */
export function outputLines(outputs: CiOutputs): string {
  return Object.entries(outputs)
    .map(([name, value]: [string, string]) => {
      const end = `ruizn_${randomUUID()}`;
      return `${name}<<${end}\n${value}\n${end}\n`;
    })
    .join("");
}

/** Adds to one of the runner's files. @throws RuiZNError input_invalid */
export function appendToEnvFile(variable: string, path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RuiZNError("input_invalid", `${variable} cannot be written: ${path} (${code})`);
  }
}
