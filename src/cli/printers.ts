import type { Subscriber } from "../events/event-bus.ts";
import { JsonPrinter } from "../events/json-printer.ts";
import { StdoutPrinter, type StdoutPrinterOptions } from "../events/stdout-printer.ts";
import { useColor } from "./color.ts";
import type { CliIo } from "./io.ts";
import type { Environment } from "./options.ts";
import type { Settings } from "./settings-table.ts";

/** Who prints a run: always the printer for people, and with `stream-json` the one for machines. */
export function printersFor(settings: Settings, env: Environment, io: CliIo): Subscriber[] {
  const format = settings.output_format ?? "text";
  const printer = new StdoutPrinter({
    layout: layout(format, io),
    answer: io.stdout,
    notes: io.notes,
    level: level(settings),
    color: useColor(io.notes, settings.color ?? "auto", env),
  });
  return format === "stream-json" ? [new JsonPrinter(io.stdout), printer] : [printer];
}

function layout(format: string, io: CliIo): StdoutPrinterOptions["layout"] {
  if (format !== "text") return "notes";
  return io.stdout.isTerminal || io.notes === io.stdout ? "transcript" : "split";
}

function level({ quiet, verbose, debug }: Settings): StdoutPrinterOptions["level"] {
  if (quiet) return "quiet";
  return verbose || debug ? "verbose" : "normal";
}
