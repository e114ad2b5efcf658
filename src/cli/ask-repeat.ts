import { RuiZNError } from "../errors.ts";
import { inputLine } from "../events/note-lines.ts";
import { terminalLine } from "../events/terminal-text.ts";
import type { ToolUseBlock } from "../messages.ts";
import type { CliIo } from "./io.ts";

const CHOICES = ["ask", "repeat", "skip"];

/**
 * What `--resume-writes` says of a call that may have written. Without a terminal nobody can be asked, and the call is
 * not made again.
 * @throws RuiZNError usage_invalid
 */
export function repeatWrite(choice: string | undefined, io: CliIo): (call: ToolUseBlock) => Promise<boolean> {
  if (choice !== undefined && !CHOICES.includes(choice)) {
    throw new RuiZNError("usage_invalid", `--resume-writes must be ${CHOICES.join(" or ")}; got ${choice}`);
  }
  if (choice === "repeat") return () => Promise.resolve(true);
  if (choice === "skip") return () => Promise.resolve(false);
  return (call) => (io.stderr.isTerminal && io.stdin().isTTY ? ask(call, io) : Promise.resolve(false));
}

async function ask({ name, input }: ToolUseBlock, io: CliIo): Promise<boolean> {
  const { createInterface } = await import("node:readline");
  io.stderr.write(
    `The run broke off during this call, which may have been carried out:\n  ${terminalLine(name)} ${inputLine(input)}\nMake it again? [y/N] `,
  );
  const lines = createInterface({ input: io.stdin() });
  const stop = (): void => lines.close();
  io.stopSignal().addEventListener("abort", stop, { once: true });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    io.stopSignal().removeEventListener("abort", stop);
    lines.close();
    io.stdin().unref();
  }
}
