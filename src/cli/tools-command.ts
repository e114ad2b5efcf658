import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { allTools } from "./all-tools.ts";
import { canonicalRoot } from "../sandbox/guard/canonical-root.ts";
import { commandOptions } from "./command-options.ts";
import { tellNotices } from "./tell-notices.ts";
import { EXIT } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { nearest } from "./nearest.ts";
import type { ParsedCommand } from "./program.ts";

/** `ruizn tools list`. */
export async function toolsList(command: ParsedCommand, io: CliIo): Promise<number> {
  const { oneOff } = command;
  const tools = await toolsOf(command, io);
  if (oneOff["json"] !== undefined) {
    io.stdout.write(`${JSON.stringify(tools.map(asJson), null, 2)}\n`);
    return EXIT.success;
  }
  const width = Math.max(...tools.map(({ name }) => name.length));
  for (const tool of tools) {
    io.stdout.write(
      `${tool.name.padEnd(width)}  ${access(tool).padEnd(5)}  ${firstSentence(tool.description)}\n`,
    );
  }
  return EXIT.success;
}

/** `ruizn tools show NAME`. */
export async function toolsShow(command: ParsedCommand, io: CliIo): Promise<number> {
  const { args, oneOff } = command;
  const tool = toolNamed(args[0] ?? "", await toolsOf(command, io));
  if (oneOff["json"] !== undefined) {
    io.stdout.write(`${JSON.stringify(asJson(tool), null, 2)}\n`);
    return EXIT.success;
  }
  const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations;
  io.stdout.write(
    [
      tool.name,
      "",
      tool.description,
      "",
      `profile ${tool.profile}, read-only ${readOnlyHint}, destructive ${destructiveHint}, idempotent ${idempotentHint}`,
      "",
      JSON.stringify(tool.inputSchema, null, 2),
      "",
    ].join("\n"),
  );
  return EXIT.success;
}

/** @throws RuiZNError usage_invalid */
export function toolNamed(name: string, tools: readonly BaseTool[]): BaseTool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const near = nearest(
    name,
    tools.map((candidate) => candidate.name),
  );
  throw new RuiZNError("usage_invalid", `there is no tool named ${JSON.stringify(name.slice(0, 80))}`, {
    hint: near ? `did you mean ${near}?` : "`ruizn tools list` shows the tools",
  });
}

/** What they are is known; what they would need to be called is not kept. */
async function toolsOf(command: ParsedCommand, io: CliIo): Promise<BaseTool[]> {
  const options = await commandOptions(command, io);
  tellNotices(options.notices, io);
  const { tools, close } = await allTools({ ...options, workspace: canonicalRoot(options.workspace) }, io);
  close();
  return tools;
}

function access(tool: BaseTool): string {
  return tool.annotations.readOnlyHint ? "read" : "write";
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
}

function asJson(tool: BaseTool): object {
  const { name, description, annotations, profile, inputSchema } = tool;
  return { name, description, annotations, profile, input_schema: inputSchema };
}
