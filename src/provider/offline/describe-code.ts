import type { FileView } from "./describe-file.ts";
import { shorten } from "./shorten.ts";

const LINES_MAX = 4_000;
const LINE_MAX_CHARS = 300;
const COMMENT_MAX_CHARS = 500;
const NAMES_MAX = 40;

/** Names at the left edge of a JavaScript file that exports nothing by name. */
const SCRIPT_NAMES = /^(?:async\s+)?(?:function\*?|class|const)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;

interface Family {
  suffixes: RegExp;
  /** A line that gives a name away to other files, or declares one; the first group that matched is the name. */
  names: RegExp;
  comment: RegExp;
  /** Whether `names` finds what is exported, and not merely declared. */
  exported: boolean;
}

const SLASHES = /^\s*(?:\/\*\*?|\*\/?|\/\/[/!]?)/;
const HASH = /^\s*(?:#(?!!|\[|include)|""")/;
const FAMILIES: Family[] = [
  {
    suffixes: /\.(?:[cm]?[jt]sx?)$/i,
    names:
      /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const|let|var|namespace)\s+([\p{L}_$][\p{L}\p{N}_$]*)|^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=/u,
    comment: SLASHES,
    exported: true,
  },
  {
    suffixes: /\.py$/i,
    names: /^(?:async\s+)?(?:def|class)\s+([\p{L}_][\p{L}\p{N}_]*)/u,
    comment: HASH,
    exported: false,
  },
  {
    suffixes: /\.rs$/i,
    names:
      /^\s*pub(?:\([a-z]+\))?\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|mod|type|static)\s+(\w+)/,
    comment: SLASHES,
    exported: true,
  },
  {
    suffixes: /\.go$/i,
    names: /^(?:func\s+(?:\([^)]{0,80}\)\s*)?|type\s+|var\s+|const\s+)([A-Z]\w*)/,
    comment: SLASHES,
    exported: true,
  },
  {
    suffixes: /\.(?:java|kt|cs|swift|scala|php|c|h|cc|cpp|hpp)$/i,
    names:
      /^(?:\s{0,4}(?:public|open|export|static|final|abstract)\s+)*(?:class|interface|enum|struct|record|fun|func|function|namespace|object|trait)\s+(\w+)/,
    comment: SLASHES,
    exported: false,
  },
  {
    suffixes: /\.(?:sh|bash|zsh|rb|pl)$/i,
    names: /^\s*(?:def|function|class|module|sub)\s+([\w.]+)|^(\w+)\s*\(\)/,
    comment: HASH,
    exported: false,
  },
];

export function isCodeFile(path: string): boolean {
  return familyOf(path) !== undefined;
}

/** The comment that a source file starts with, and the names it gives away. */
export function describeCode({ path, text, phrases, language }: FileView): string[] {
  const family = familyOf(path);
  if (!family) return [];
  const lines = text.split(/\r?\n/, LINES_MAX).map((line) => line.slice(0, LINE_MAX_CHARS));
  const colon = language === "zh" ? "：" : ": ";
  const comment = leadingComment(lines, family.comment);
  const given = namesIn(lines, family.names);
  const exported = family.exported && given.size > 0;
  const names = given.size > 0 ? given : namesIn(lines, SCRIPT_NAMES);
  const found: string[] = [];
  if (comment !== "") found.push(`${phrases.comment}${colon}${comment}`);
  if (names.size > 0) {
    const rest = names.size - NAMES_MAX;
    const more = rest > 0 ? ` ${phrases.more(String(rest))}` : "";
    const label = exported ? phrases.exports : phrases.declares;
    found.push(`${label}${colon}${[...names].slice(0, NAMES_MAX).join(", ")}${more}`);
  }
  return found;
}

function namesIn(lines: readonly string[], pattern: RegExp): Set<string> {
  const names = new Set<string>();
  for (const line of lines) {
    const match = pattern.exec(line);
    const name = match?.[1] ?? match?.[2];
    if (name !== undefined) names.add(name);
  }
  return names;
}

function familyOf(path: string): Family | undefined {
  return FAMILIES.find((family) => family.suffixes.test(path));
}

/** The first comment, when only imports, a shebang or empty lines stand before it. */
function leadingComment(lines: readonly string[], mark: RegExp): string {
  const start = lines.findIndex(
    (line) =>
      !/^\s*$|^#!|^\s*(?:import|from|use|package|using|require|'use strict'|"use strict")\b/.test(line),
  );
  const words: string[] = [];
  for (const line of start < 0 ? [] : lines.slice(start)) {
    if (!mark.test(line)) break;
    words.push(
      line
        .replace(mark, "")
        .replace(/\*\/\s*$|"""\s*$/, "")
        .trim(),
    );
    if (/\*\/\s*$/.test(line)) break;
  }
  const comment = words.filter(Boolean).join(" ");
  return shorten(comment, COMMENT_MAX_CHARS);
}
