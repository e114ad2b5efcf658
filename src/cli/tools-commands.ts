import type { CliIo } from "./io.ts";
import type { ParsedCommand } from "./program.ts";
import { toolsCall } from "./tools-call-command.ts";
import { toolsList, toolsShow } from "./tools-command.ts";
import { toolsNew } from "./tools-new-command.ts";

/** `ruizn tools …`: one place to load, so that what they share with a run is in few files. */
export async function toolsCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  switch (command.spec.name) {
    case "tools list":
      return toolsList(command, io);
    case "tools show":
      return toolsShow(command, io);
    case "tools new":
      return toolsNew(command, io);
    default:
      return toolsCall(command, io);
  }
}
