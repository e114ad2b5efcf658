import { terminalLine } from "../events/terminal-text.ts";
import type { KnownFinding } from "../review/index.ts";
import { EXIT } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import type { ParsedCommand } from "./program.ts";
import { reportOf } from "./review-arguments.ts";

/** `ruizn findings diff`: 0 when nothing is new. @throws RuiZNError input_invalid */
export async function findingsDiffCommand({ args, oneOff }: ParsedCommand, io: CliIo): Promise<number> {
  const [one = "", other = ""] = args;
  const cwd = process.cwd();
  const { findingsDiff } = await import("../review/index.ts");
  const diff = findingsDiff(await reportOf("", one, cwd), await reportOf("", other, cwd));
  const { added, gone, same } = diff;
  if (oneOff["json"] !== undefined) io.stdout.write(`${JSON.stringify(diff, null, 2)}\n`);
  else {
    const rows = [...gone.map((finding) => row("-", finding)), ...added.map((finding) => row("+", finding))];
    const count = `${added.length} new, ${gone.length} gone, ${same.length} the same.`;
    io.stdout.write(`${[...rows, count].join("\n")}\n`);
  }
  return added.length > 0 ? EXIT.findings : EXIT.success;
}

function row(sign: "-" | "+", { file, line, severity, title }: KnownFinding): string {
  return terminalLine(`${sign} ${file}:${line}  ${severity}  ${title}`);
}
