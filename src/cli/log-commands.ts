import { resolve } from "node:path";
import { commandOptions } from "./command-options.ts";
import { runDiff } from "./diff.ts";
import type { CliIo } from "./io.ts";
import { runLogVerify } from "./log.ts";
import type { ParsedCommand } from "./program.ts";
import { runRunsExport, runRunsList, runRunsShow } from "./runs.ts";

/** `ruizn log verify`, `ruizn runs …` and `ruizn diff`, which find a run where `ruizn run` put it. */
export async function logCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  const { cwd, workspace, settings } = await commandOptions(command, io);
  const place = { workspace, runsDir: settings.log_dir };
  const json = command.oneOff["json"] !== undefined || command.flags.output_format === "json";
  const [run = "", other = ""] = command.args;
  switch (command.spec.name) {
    case "diff":
      return runDiff(io, { place, one: run, other, json });
    case "log verify":
      return runLogVerify(io, { place, run, json });
    case "runs list":
      return runRunsList(io, { place, json });
    case "runs show":
      return runRunsShow(io, { place, run, json });
    default: {
      const output = command.oneOff["output"];
      return runRunsExport(io, { place, run, output: output && resolve(cwd, output) });
    }
  }
}
