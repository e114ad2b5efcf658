import { type Clause, findPlace, meansHere } from "./goal-clauses.ts";
import type { Intent } from "./goal-intents.ts";
import { looksLikeFile, MARK, type Mark, type MarkedGoal, markAt, marksIn } from "./goal-marks.ts";

const SUFFIXES: Record<string, string> = {
  typescript: "*.ts",
  javascript: "*.js",
  markdown: "*.md",
  python: "*.py",
  json: "*.json",
  yaml: "*.{yml,yaml}",
  css: "*.css",
  html: "*.html",
  rust: "*.rs",
  go: "*.go",
  java: "*.java",
  shell: "*.sh",
  text: "*.txt",
  文本: "*.txt",
};
const LANGUAGE = new RegExp(
  `(?<![\\p{L}\\p{N}_])(${Object.keys(SUFFIXES).join("|")})\\s*(?:source\\s+)?(?:code\\s+)?(?:files?\\b|源?文件)`,
  "iu",
);
const CONTAINING = /\b(?:that |which )?contain(?:s|ing)?\b|\bmentioning\b|包含有?|含有|提到/iu;
const NAMED = /\b(?:named|called|with (?:the )?name)\b|名为|名叫|叫做?|名字(?:是|为)/iu;
const FOR = new RegExp(
  `^\\s*(?:in\\s+)?(?:the\\s+)?(${MARK}|[\\p{L}\\p{N}_@.-]+)(?:\\s+(?:directory|folder|files?))?\\s+for\\s+`,
  "iu",
);
const PLACE_FIRST_ZH = new RegExp(
  `^\\s*(${MARK}|[\\p{L}\\p{N}_./-]+?)\\s*(?:目录|文件夹|文件)?\\s*(?:[中里下内]面?)的?\\s*(?=\\S)`,
  "u",
);
const LEADING =
  /^(?:\s|[:：,，]|(?:for|the|all|any|every|each|me|please|words?|strings?|text|term|phrase|keyword|occurrences?|mentions?|uses?|usages?|references?|instances?|of|to|where|lines?|with|that|an?|regexp?|pattern|matching|matches|symbol|identifier|files?)(?=\s|$)|-[a-zA-Z]+(?=\s)|所有|全部|一下|关键字|关键词|字符串|单词|文本|正则(?:表达式)?|包含|含有|出现|了)+/iu;
const TRAILING =
  /(?:[\s,.;:!?，。；：！？]|\s(?:and|then|also|please|is|are|files?|in|used|defined|there|it)|的?(?:所有)?(?:文件|地方|位置|行|代码|内容|出现)|这个词|字样|字符串|关键字|在哪里?|一下|并且?|然后|的)+$/iu;
const REGEX = /\bregexp?\b|\bregular expression\b|正则/iu;

/** A find or search clause: a glob when it names files, else a search for what is left of its words. */
export function lookupIntents(clause: Clause, goal: MarkedGoal): Intent[] {
  const { words, path } = takePlace(clause, goal);
  const containing = CONTAINING.exec(words);
  if (containing) return searchFor(words.slice(containing.index + containing[0].length), path, goal);
  const globs = globsOf(clause, words, goal);
  if (globs.length > 0) return globs.map((pattern) => ({ kind: "find", pattern: anyDepth(pattern), path }));
  return searchFor(words, path, goal);
}

/** What a place means: a mark's text, the word itself, or "." for the workspace. */
export function resolvePlace(text: string, goal: MarkedGoal): string {
  const mark = markAt(text, goal);
  if (mark) return mark.text;
  return meansHere(text) ? "." : text;
}

function takePlace(clause: Clause, goal: MarkedGoal): { words: string; path: string } {
  const rest = clause.rest;
  const first = FOR.exec(rest) ?? PLACE_FIRST_ZH.exec(rest);
  if (first?.[1] !== undefined && !/^(?:for|all|any)$/iu.test(first[1])) {
    return { words: rest.slice(first[0].length), path: resolvePlace(first[1], goal) };
  }
  const place = findPlace(rest);
  if (place) {
    const words = `${rest.slice(0, place.start)} ${rest.slice(place.end)}`;
    return { words, path: resolvePlace(place.text, goal) };
  }
  const before = findPlace(clause.before);
  return { words: rest, path: before ? resolvePlace(before.text, goal) : "." };
}

function globsOf(clause: Clause, words: string, goal: MarkedGoal): string[] {
  if (REGEX.test(words)) return [];
  const marks = marksIn(words, goal);
  const globs = marks.filter((mark) => mark.kind === "glob").map((mark) => mark.text);
  if (globs.length > 0) return globs;
  const language = LANGUAGE.exec(words)?.[1]?.toLowerCase();
  if (language !== undefined) return [SUFFIXES[language] ?? ""].filter(Boolean);
  const named = NAMED.exec(words);
  if (named) return namedGlobs(words.slice(named.index + named[0].length), goal);
  const files = marks.filter((mark) => isFile(mark));
  if (files.length > 0) return files.map((mark) => mark.text);
  if (clause.kind !== "find" || marks.length > 0) return [];
  const about = /^(.*?)\s*(?:files?\b|文件)/iu.exec(words)?.[1]?.replace(LEADING, "").trim() ?? "";
  return /^[\p{L}\p{N}_.-]+$/u.test(about) ? [`*${about}*`] : [];
}

function isFile(mark: Mark): boolean {
  return mark.kind === "file" || mark.kind === "path" || (mark.kind === "quoted" && looksLikeFile(mark.text));
}

function namedGlobs(words: string, goal: MarkedGoal): string[] {
  const marks = marksIn(words, goal);
  if (marks.length > 0) return marks.map((mark) => (isFile(mark) ? mark.text : `*${mark.text}*`));
  const name = words.replace(LEADING, "").replace(TRAILING, "").trim();
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? [`*${name}*`] : [];
}

function anyDepth(pattern: string): string {
  const plain = pattern.replace(/^\.\//, "");
  return /[/\\]/.test(plain) ? plain : `**/${plain}`;
}

function searchFor(words: string, path: string, goal: MarkedGoal): Intent[] {
  const asRegex = REGEX.test(words);
  const marks = marksIn(words, goal).filter((mark) => mark.kind !== "url");
  const texts = marks.length > 0 ? marks.map((mark) => mark.text) : [plainPattern(words)];
  return texts
    .filter((text) => text !== "")
    .map((text) => ({ kind: "search", pattern: asRegex ? text : escapeRegex(text), path }));
}

function plainPattern(words: string): string {
  return words.replace(LEADING, "").replace(TRAILING, "").trim();
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}
