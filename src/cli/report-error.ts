import { RuiZNError } from "../errors.ts";
import { terminalLine } from "../events/terminal-text.ts";
import type { TextSink } from "../events/stdout-printer.ts";

/** `error: …` and `hint: …`, one line each; a stack only when it is asked for. */
export function reportError(error: unknown, { out, debug }: { out: TextSink; debug: boolean }): void {
  const known = error instanceof RuiZNError;
  const message = error instanceof Error ? error.message : String(error);
  const hint = known ? error.hint : "this is a fault of ruizn; --debug shows where";
  reportFailure({ message, ...(hint !== undefined && { hint }) }, out);
  if (debug && error instanceof Error) out.write(`${error.stack}\n`);
}

export function reportFailure(failure: { message: string; hint?: string }, out: TextSink): void {
  out.write(`error: ${terminalLine(failure.message)}\n`);
  if (failure.hint !== undefined) out.write(`hint: ${terminalLine(failure.hint)}\n`);
}
