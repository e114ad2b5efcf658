import { resolve } from "node:path";
import type { CliIo } from "./io.ts";
import { type Environment, type Options, processEnvironment, resolveOptions } from "./options.ts";
import type { ParsedCommand } from "./program.ts";

/** Commands that a model drives: where nobody watches they are hardened by themselves. */
const HARDENED: ReadonlySet<string> = new Set(["run", "review"]);

export interface CommandOptions extends Options {
  env: Environment;
  /** Where the command was started. */
  cwd: string;
  /** Absolute, but not yet checked. */
  workspace: string;
  /** The user says that what the workspace holds is to be trusted. */
  trusted: boolean;
}

/** The options of one invocation. @throws RuiZNError settings_invalid, usage_invalid */
export async function commandOptions(
  { spec, flags, oneOff }: ParsedCommand,
  io: CliIo,
): Promise<CommandOptions> {
  const env = processEnvironment();
  const cwd = process.cwd();
  const workspace = resolve(cwd, oneOff["cwd"] ?? ".");
  const trusted = oneOff["trust-workspace"] !== undefined || isTrue(env["RUIZN_TRUST_WORKSPACE"]);
  const options = await resolveOptions({
    flags,
    env,
    cwd,
    workspace,
    trustWorkspace: trusted,
    managedSettings: io.managedSettings,
    ciByItself: HARDENED.has(spec.name) && io.inCi && !io.stdout.isTerminal && !io.stderr.isTerminal,
    ...(oneOff["settings"] !== undefined && { settingsFile: oneOff["settings"] }),
  });
  return { ...options, env, cwd, workspace, trusted };
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
