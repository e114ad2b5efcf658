import { dirname } from "node:path";
import type { Node, ParseError } from "jsonc-parser";
import { RuiZNError } from "../errors.ts";
import { readTextFile } from "./read-text-file.ts";
import { expected, type SettingValue, valueFromJson, resolvedPaths } from "./setting-value.ts";
import { type SettingKey, type Settings, SETTINGS } from "./settings-table.ts";
import { nearest } from "./nearest.ts";

const SETTINGS_MAX_BYTES = 65_536;

/**
 * Reads one settings file (JSON with comments and trailing commas). An unknown key, a key given twice and a value of
 * the wrong kind are errors that name the key, the file and the line.
 * @returns undefined when there is no such file and it need not be there.
 * @throws RuiZNError settings_invalid
 */
export async function readSettingsFile(
  path: string,
  options: { required: boolean },
): Promise<Settings | undefined> {
  const file = readTextFile(path, SETTINGS_MAX_BYTES);
  if (!file.found) {
    if (!options.required && (file.code === "ENOENT" || file.code === "ENOTDIR")) return undefined;
    throw new RuiZNError("settings_invalid", `settings file ${path} ${file.why}`);
  }
  const text = file.text.replace(/^\ufeff/, "");
  return settingsOf(await parse(text, path), { text, path });
}

interface Source {
  text: string;
  path: string;
}

async function parse(text: string, path: string): Promise<Node> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const root = parsedOrTooDeep(() => parseTree(text, errors, { allowTrailingComma: true }));
  const first = errors[0];
  if (first) throw invalid({ text, path }, first.offset, `not JSON: ${printParseErrorCode(first.error)}`);
  if (root?.type !== "object") throw invalid({ text, path }, 0, "the settings must be one JSON object");
  return root;
}

function parsedOrTooDeep(parseIt: () => Node | undefined): Node | undefined {
  try {
    return parseIt();
  } catch (error) {
    if (error instanceof RangeError)
      throw new RuiZNError("settings_invalid", "settings are nested too deeply");
    throw error;
  }
}

function settingsOf(root: Node, source: Source): Settings {
  const settings = new Map<string, SettingValue>();
  for (const property of root.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    const key = String(keyNode?.value);
    if (settings.has(key)) throw invalid(source, property.offset, `${JSON.stringify(key)} is given twice`);
    if (key === "$schema") continue;
    settings.set(key, checkedValue(key, valueNode, { ...source, offset: property.offset }));
  }
  return Object.fromEntries(settings) as Settings;
}

function checkedValue(key: string, node: Node | undefined, at: Source & { offset: number }): SettingValue {
  if (!Object.hasOwn(SETTINGS, key)) {
    const near = nearest(key, Object.keys(SETTINGS));
    const hint = near ? `did you mean ${JSON.stringify(near)}?` : "docs/settings.md lists the keys";
    throw invalid(at, at.offset, `unknown key ${JSON.stringify(key)}`, hint);
  }
  const { kind } = SETTINGS[key as SettingKey];
  const json = node ? at.text.slice(node.offset, node.offset + node.length) : "nothing";
  const value = valueFromJson(kind, plain(node));
  if (value === undefined) {
    const got = json.length > 60 ? `${json.slice(0, 60)}…` : json;
    throw invalid(
      at,
      node?.offset ?? at.offset,
      `${JSON.stringify(key)} must be ${expected(kind)}; got ${got}`,
    );
  }
  return resolvedPaths(kind, value, dirname(at.path));
}

/** Scalars and arrays of scalars; anything deeper is no valid value of any setting. */
function plain(node: Node | undefined): unknown {
  return node?.type === "array" ? (node.children ?? []).map((child) => child.value as unknown) : node?.value;
}

function invalid({ text, path }: Source, offset: number, what: string, hint?: string): RuiZNError {
  const line = text.slice(0, offset).split("\n").length;
  return new RuiZNError("settings_invalid", `${path}:${line}: ${what}`, hint === undefined ? {} : { hint });
}
