import { terminalLine } from "../events/terminal-text.ts";
import type { CliIo } from "./io.ts";

/** What the user should know before the run begins, one line each. */
export function tellNotices(notices: readonly string[], io: CliIo): void {
  for (const notice of notices) io.notes.write(`notice: ${terminalLine(notice)}\n`);
}
