import { isAbsolute, relative } from "node:path";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { expandBraces } from "../tools/walk/glob-braces.ts";
import { GlobPattern } from "../tools/walk/glob-pattern.ts";

/** One rule: `read_file`, `mcp_*`, `read_file(src/**)` or `shell(git diff:*)`. */
export interface ToolRule {
  readonly text: string;
  /** Whether it speaks of this tool. */
  names(tool: string): boolean;
  /** Whether it speaks of every call of this tool. */
  coversTool(tool: string): boolean;
  /** As an allow rule: everything that the call names must match. */
  allows(tool: BaseTool, input: unknown): boolean;
  /** As a deny rule: one thing that matches is enough, and so is a call that names nothing to match. */
  denies(tool: BaseTool, input: unknown): boolean;
}

const RULE_MAX_CHARS = 512;
const RULE = /^([a-zA-Z0-9_-]*\*?)(?:\((.+)\))?$/s;

/** @throws RuiZNError settings_invalid */
export function parseRule(text: string, root: string): ToolRule {
  const parts = RULE.exec(text);
  const name = parts?.[1] ?? "";
  if (!parts || name === "" || text.length > RULE_MAX_CHARS) {
    throw unreadable(text, "write NAME, NAME* or NAME(pattern), such as read_file(src/**)");
  }
  const pattern = parts[2];
  const names = (tool: string) => (name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name);
  const matches = pattern === undefined || pattern === "*" ? undefined : subjectMatcher(pattern, text);
  return {
    text,
    names,
    coversTool: (tool) => names(tool) && !matches,
    allows: (tool, input) =>
      names(tool.name) && (!matches || everyMatches(subjects(tool, input, root), matches)),
    denies: (tool, input) =>
      names(tool.name) && (!matches || anyMatches(subjects(tool, input, root), matches)),
  };
}

function unreadable(text: string, hint: string, why = ""): RuiZNError {
  const shown = JSON.stringify(text.slice(0, 80));
  return new RuiZNError("settings_invalid", `tool rule ${shown} cannot be read${why}`, { hint });
}

type Matcher = (subject: string) => boolean;

function everyMatches(found: string[], matches: Matcher): boolean {
  return found.length > 0 && found.every(matches);
}

function anyMatches(found: string[], matches: Matcher): boolean {
  return found.length === 0 || found.some(matches);
}

/** `git diff:*` is the command `git diff` with any arguments; anything else is a glob. */
function subjectMatcher(pattern: string, rule: string): Matcher {
  const prefix = /^(.*):\*$/s.exec(pattern)?.[1];
  if (prefix === undefined) return globMatcher(pattern, rule);
  return (subject) => subject === prefix || subject.startsWith(`${prefix} `);
}

/** Names with a leading dot are names like all others here: a rule that passed over them would deny too little. */
function globMatcher(glob: string, rule: string): Matcher {
  try {
    if (expandBraces(glob).some((one) => one.split("/").some(hidesStars))) {
      throw unreadable(rule, "write ** as a folder of its own, such as src/** or **/*.ts");
    }
    const pattern = new GlobPattern(glob, { hidden: true, braces: true });
    return (subject) => pattern.matches(subject);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable(
      rule,
      "write a plain character as [*] or with a backslash before it",
      `: ${error.message}`,
    );
  }
}

/** `a**` would stay within one folder, and look as if it did not. */
function hidesStars(segment: string): boolean {
  return segment !== "**" && segment.replace(/\\.|\[[^\]]*\]/gs, "").includes("**");
}

/** What a call names: its paths, relative to the workspace, and its command. */
function subjects(tool: BaseTool, input: unknown, root: string): string[] {
  const command = (input as { command?: unknown } | null)?.command;
  const paths = tool.paths(input as never).map(({ path }) => workspacePath(path, root));
  return typeof command === "string" ? [...paths, command] : paths;
}

function workspacePath(path: string, root: string): string {
  const inside = isAbsolute(path) ? relative(root, path) : path;
  const parts = inside.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 ? "." : parts.join("/");
}
