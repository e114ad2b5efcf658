import type { RunPlace } from "../events/run-folder.ts";
import { terminalLine } from "../events/terminal-text.ts";
import { type Difference, diffRuns } from "../log/diff-runs.ts";
import { runFolder } from "./run-folder-argument.ts";
import { EXIT } from "./exit-codes.ts";

const SHOWN_CHARS = 400;

/**
 * `ruizn diff RUN1 RUN2`: where two runs parted.
 * @returns the exit code: 0 when the same was said in both, 1 when not
 * @throws RuiZNError input_invalid
 */
export function runDiff(
  io: { stdout: { write(text: string): void } },
  args: { place: RunPlace; one: string; other: string; json: boolean },
): number {
  const difference = diffRuns(runFolder(args.place, args.one), runFolder(args.place, args.other));
  const { conditions, parted } = difference;
  if (args.json) {
    io.stdout.write(`${JSON.stringify({ type: "run_diff", conditions, parted: parted ?? null })}\n`);
  } else {
    for (const condition of conditions)
      io.stdout.write(asText(`began with another ${condition.what}`, condition));
    io.stdout.write(
      parted
        ? asText(`parted in step ${parted.step}, ${parted.what}`, parted)
        : "the same was said in both\n",
    );
  }
  return parted ? EXIT.failure : EXIT.success;
}

function asText(heading: string, { one, other }: Difference): string {
  return `${heading}\n- ${shown(one)}\n+ ${shown(other)}\n`;
}

function shown(value: unknown): string {
  const text = value === undefined ? "(nothing)" : terminalLine(JSON.stringify(value));
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS - 1)}…` : text;
}
