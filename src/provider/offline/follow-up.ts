import type { ToolUseBlock } from "../../messages.ts";
import type { AnsweredCall, Conversation } from "./conversation.ts";
import type { Intent } from "./goal-intents.ts";
import { errorTypeOf } from "./tool-error.ts";

/** A string of a call's input, or "" when there is none. */
export function inputText(use: ToolUseBlock, name: string): string {
  const input = use.input;
  if (typeof input !== "object" || input === null) return "";
  const value = (input as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

export function folderOf(path: string): string {
  const slash = path.replace(/\/+$/, "").lastIndexOf("/");
  return slash > 0 ? path.slice(0, slash) : slash === 0 ? "/" : ".";
}

export function nameOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}

/**
 * The one step more after a first round that went wrong: the folder of a file that was not found, to suggest a name,
 * or the path itself when it may be a folder.
 */
export function followUps(conversation: Conversation): Intent[] {
  const [first, second] = conversation.rounds;
  if (!first || second) return [];
  const paths = first.map(pathToList).filter((path) => path !== undefined);
  return [...new Set(paths)].map((path) => ({ kind: "list", path, deep: false }));
}

function pathToList({ use, result }: AnsweredCall): string | undefined {
  if (use.name !== "read_file" || result?.is_error !== true) return undefined;
  const path = inputText(use, "path");
  const type = errorTypeOf(result);
  if (type === "not_found") return folderOf(path);
  return type === "invalid_input" && !/\.\w{1,10}$/.test(path) ? path : undefined;
}
