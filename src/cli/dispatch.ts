import { RuiZNError } from "../errors.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { rootHelp } from "./help-text.ts";
import type { CliIo } from "./io.ts";
import { type ParsedCommand, parseCommandLine } from "./program.ts";
import { reportError } from "./report-error.ts";

/** Parses the command line and runs the command that it names. Never throws. */
export async function dispatch(argv: readonly string[], io: CliIo): Promise<number> {
  if (io.inCi) (await import("./guard-outputs.ts")).guardOutputs(io, { json: false });
  if (argv.length === 0) {
    io.stderr.write(rootHelp());
    return EXIT.usage;
  }
  try {
    const parsed = parseCommandLine(argv);
    if (parsed.kind === "command") return await runCommand(parsed.command, io);
    io.stdout.write(parsed.text);
    return EXIT.success;
  } catch (error) {
    reportError(error, { out: io.stderr, debug: argv.includes("--debug") });
    return error instanceof RuiZNError ? exitCodeOf(error.code) : EXIT.failure;
  }
}

/** Each command is loaded only when it is the one. */
async function runCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  const json = command.oneOff["json"] !== undefined;
  if (json && io.inCi) (await import("./guard-outputs.ts")).guardOutputs(io, { json });
  switch (command.spec.name) {
    case "run":
      return (await import("./run-command.ts")).runCommand(command, io);
    case "doctor":
      return (await import("./doctor.ts")).runDoctor(io, { json: command.oneOff["json"] !== undefined });
    case "probe":
      return (await import("./probe-command.ts")).probeCommand(command, io);
    case "review":
      return (await import("./review-command.ts")).reviewCommand(command, io);
    case "findings diff":
      return (await import("./findings-diff-command.ts")).findingsDiffCommand(command, io);
    case "replay":
      return (await import("./replay-command.ts")).replayCommand(command, io);
    case "diff":
    case "log verify":
    case "runs list":
    case "runs show":
    case "runs export":
      return (await import("./log-commands.ts")).logCommand(command, io);
    default:
      return (await import("./tools-commands.ts")).toolsCommand(command, io);
  }
}
