import { RuiZNError } from "../errors.ts";
import type { Subscriber } from "../events/event-bus.ts";
import type { StampedEvent, ToolCallFinishedEvent } from "../events/run-event.ts";
import { StdoutPrinter } from "../events/stdout-printer.ts";
import { terminalText } from "../events/terminal-text.ts";
import { useColor } from "./color.ts";
import { commandOptions } from "./command-options.ts";
import { EXIT, exitCodeOfResult } from "./exit-codes.ts";
import { readStdin } from "./goal.ts";
import type { CliIo } from "./io.ts";
import type { ParsedCommand } from "./program.ts";
import { reportFailure } from "./report-error.ts";
import { SingleCallProvider } from "./single-call-provider.ts";
import { startRun } from "./start-run.ts";
import { tellNotices } from "./tell-notices.ts";
import { toolNamed } from "./tools-command.ts";

/** `ruizn tools call NAME INPUT`: a run of one call and no model, so guard, seal, re-check and log are the same. */
export async function toolsCall(command: ParsedCommand, io: CliIo): Promise<number> {
  const options = await commandOptions(command, io);
  const [name = "", inputText = "{}"] = command.args;
  tellNotices(options.notices, io);
  const input = await inputOf(inputText, io);
  const seen = new FinishedCall();
  const notes = new StdoutPrinter({
    layout: "notes",
    answer: io.stdout,
    notes: io.notes,
    level: "quiet",
    color: useColor(io.notes, options.settings.color ?? "auto", options.env),
  });
  const parts = {
    goal: `call ${name}`,
    provider: new SingleCallProvider({ name, input }),
    subscribers: [seen, notes],
    offerAll: true as const,
  };
  const result = await startRun(parts, options, io, (tools) => toolNamed(name, tools));
  if (seen.call) return show(seen.call, command, io);
  for (const failure of result.errors) reportFailure(failure, io.notes);
  return exitCodeOfResult(result);
}

async function inputOf(argument: string, io: CliIo): Promise<unknown> {
  const text = argument === "-" ? await readStdin(io.stdin(), { signal: io.stopSignal() }) : argument;
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new RuiZNError("input_invalid", `the tool's input is not JSON: ${why}`, {
      hint: `write it as '{"path": "README.md"}'`,
    });
  }
}

class FinishedCall implements Subscriber {
  readonly name = "finished-call";
  call: ToolCallFinishedEvent | undefined;

  onEvent({ event }: StampedEvent): void {
    if (event.type === "tool_call.finished") this.call = event;
  }
}

function show(call: ToolCallFinishedEvent, { oneOff }: ParsedCommand, io: CliIo): number {
  if (oneOff["json"] !== undefined) io.stdout.write(`${JSON.stringify(call)}\n`);
  const texts = call.content.map((block) =>
    block.type === "text" ? block.text : `[${block.source.media_type}; --json shows it]`,
  );
  if (call.is_error) {
    // The text begins with the error's type: it is the model's.
    reportFailure({ message: texts.join(" ") }, io.notes);
    return EXIT.toolFailed;
  }
  if (oneOff["json"] !== undefined) return EXIT.success;
  // One text is given to the byte; several stand under one another.
  const text = texts.length === 1 ? (texts[0] ?? "") : texts.map(endedLine).join("");
  io.stdout.write(io.stdout.isTerminal ? onTerminal(text) : text);
  return EXIT.success;
}

function onTerminal(text: string): string {
  return endedLine(terminalText(text));
}

function endedLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
