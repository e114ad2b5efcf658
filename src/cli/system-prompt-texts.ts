import { RuiZNError } from "../errors.ts";
import { readTextFile } from "./read-text-file.ts";
import type { Settings } from "./settings-table.ts";

const PROMPT_MAX_BYTES = 262_144;

/**
 * What the settings put in place of the system prompt, and what they add to it.
 * @throws RuiZNError input_invalid, usage_invalid
 */
export function systemPromptTexts(settings: Settings): { system?: string; appendSystem?: string } {
  const system = one("system-prompt", settings.system_prompt, settings.system_prompt_file);
  const appendSystem = one(
    "append-system-prompt",
    settings.append_system_prompt,
    settings.append_system_prompt_file,
  );
  return { ...(system !== undefined && { system }), ...(appendSystem !== undefined && { appendSystem }) };
}

function one(flag: string, text: string | undefined, path: string | undefined): string | undefined {
  if (path === undefined) return text;
  if (text !== undefined)
    throw new RuiZNError("usage_invalid", `--${flag} and --${flag}-file exclude each other`);
  const file = readTextFile(path, PROMPT_MAX_BYTES);
  if (!file.found) throw new RuiZNError("input_invalid", `--${flag}-file ${path} ${file.why}`);
  return file.text;
}
