import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RuiZNError } from "../errors.ts";
import { TOOL_NAME_PATTERN } from "../tools/tool-registry.ts";
import { builtInTools } from "./all-tools.ts";
import { EXIT } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import type { ParsedCommand } from "./program.ts";
import { testFileOf, toolTemplate, toolTestTemplate } from "./tool-template.ts";

/** `ruizn tools new NAME`: a module and its test in the current folder (or -C DIR); nothing is written over. */
export function toolsNew({ args, oneOff }: ParsedCommand, io: CliIo): number {
  const name = checkedName(args[0] ?? "");
  const folder = resolve(oneOff["cwd"] ?? ".");
  const file = `${name}.mjs`;
  const test = testFileOf(file);
  write(join(folder, file), toolTemplate(name));
  write(join(folder, test), toolTestTemplate(file));
  io.stdout.write(`${file}\n${test}\n`);
  io.stderr.write(
    `next: node --test ${test} && ruizn tools call ${name} '{"path": "README.md"}' --tool ${file}\n`,
  );
  return EXIT.success;
}

function checkedName(name: string): string {
  if (!TOOL_NAME_PATTERN.test(name)) {
    throw new RuiZNError(
      "usage_invalid",
      `tool name ${JSON.stringify(name.slice(0, 80))} does not match ${TOOL_NAME_PATTERN}`,
    );
  }
  if (builtInTools().some((tool) => tool.name === name))
    throw new RuiZNError("usage_invalid", `${name} is the name of a built-in tool`);
  return name;
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "is there already" : `can't be written (${code ?? "no reason given"})`;
    throw new RuiZNError("input_invalid", `${path} ${why}`, {
      hint: "take another name, or another folder with -C DIR",
    });
  }
}
