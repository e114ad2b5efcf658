import { type Clause, findPlace, meansHere, splitClauses } from "./goal-clauses.ts";
import { looksLikeFile, MARK, type MarkedGoal, type Mark, markGoal, marksIn } from "./goal-marks.ts";
import { lookupIntents, resolvePlace } from "./lookup-clause.ts";
import { findLineRange, type LineRange } from "./line-range.ts";

/** One thing to do that a tool can do. Paths are as the goal names them; "." is the workspace. */
export type Intent =
  | { kind: "read"; path: string; range?: LineRange }
  | { kind: "list"; path: string; deep: boolean }
  | { kind: "find"; pattern: string; path: string }
  | { kind: "search"; pattern: string; path: string };

export interface ParsedGoal {
  intents: Intent[];
  /** Verbs that ask for more than looking. One is enough for the goal to be out of reach. */
  beyond: string[];
  /** URLs in the goal: there is no network. */
  urls: string[];
}

/** More than this in one goal is not what a user types. */
const INTENTS_MAX = 32;
const STRONG_READ = /^(?:read|open|show|cat|view|print|读取|阅读|读|打开|查看|显示)$/iu;
const BARE_PLACE = new RegExp(
  `^\\s*(?:the\\s+)?(${MARK}|[\\p{L}\\p{N}_@.-]+)(?:\\s+(?:directory|folder|dir))?\\s*[?.!]*$`,
  "iu",
);
const ZH_SUBJECT = /^(.*?)\s*(目录|文件夹)?\s*$/u;

/** Understands a goal, in English or Chinese, as far as it asks to read, list, find or search. Never throws. */
export function parseGoal(goal: string): ParsedGoal {
  const marked = markGoal(goal);
  const { head, clauses } = splitClauses(marked.text);
  const intents: Intent[] = [];
  for (const clause of clauses) intents.push(...clauseIntents(clause, marked));
  const used = new Set(intents.map((intent) => ("path" in intent ? intent.path : "")));
  for (const mark of marksIn(head, marked)) {
    if (!used.has(mark.text)) intents.unshift(...readMark(mark, false));
  }
  return {
    intents: distinct(intents).slice(0, INTENTS_MAX),
    beyond: clauses.filter((clause) => clause.kind === "beyond").map((clause) => clause.verb),
    urls: marked.marks.filter((mark) => mark.kind === "url").map((mark) => mark.text),
  };
}

function clauseIntents(clause: Clause, goal: MarkedGoal): Intent[] {
  switch (clause.kind) {
    case "read":
      return readIntents(clause, goal);
    case "list":
      return listIntents(clause, goal);
    case "find":
    case "search":
      return lookupIntents(clause, goal);
    case "beyond":
      return [];
  }
}

function readIntents(clause: Clause, goal: MarkedGoal): Intent[] {
  const marks = marksIn(clause.rest, goal);
  const strong = STRONG_READ.test(clause.verb);
  const place = findPlace(clause.rest) ?? findPlace(clause.before);
  const folder = place?.folder ? resolvePlace(place.text, goal) : ".";
  const range = findLineRange(clause.rest);
  const reads = marks
    .filter((mark) => !place?.folder || mark.text !== folder)
    .flatMap((mark) => readMark(mark, strong))
    .map(
      (intent): Intent =>
        intent.kind === "read" ? within(folder, { ...intent, ...(range && { range }) }) : intent,
    );
  return reads.length > 0 ? reads : bareFolder(clause, goal);
}

function readMark(mark: Mark, strong: boolean): Intent[] {
  if (mark.kind === "glob") return [{ kind: "find", pattern: mark.text, path: "." }];
  if (mark.kind === "url" || (mark.kind === "quoted" && !strong && !looksLikeFile(mark.text))) return [];
  if (mark.text === "." || mark.text === "..") return [{ kind: "list", path: mark.text, deep: false }];
  return [{ kind: "read", path: mark.text }];
}

function within(folder: string, intent: Intent & { kind: "read" }): Intent {
  if (folder === "." || /[/\\]/.test(intent.path)) return intent;
  return { ...intent, path: `${folder.replace(/\/+$/, "")}/${intent.path}` };
}

/** "what is in src?", "src 目录里有什么": a word that is no file's name, asked for what is in it. */
function bareFolder(clause: Clause, goal: MarkedGoal): Intent[] {
  if (/^what.*in/iu.test(clause.verb)) {
    const word = BARE_PLACE.exec(clause.rest)?.[1];
    if (word !== undefined) return [{ kind: "list", path: resolvePlace(word, goal), deep: false }];
    const words = clause.rest.replace(/[?.!\s]+$/u, "");
    if (meansHere(words) && words.trim() !== "") return [{ kind: "list", path: ".", deep: false }];
  }
  if (/有(?:什么|哪些)|内容/u.test(clause.verb)) {
    const [, name = "", noun] = ZH_SUBJECT.exec(clause.before.replace(/[中里下]?面?的?$/u, "")) ?? [];
    if (marksIn(name, goal).length > 0) return [];
    const here = /^(?:请|帮我|看看|告诉我)*\s*(?:当前|本|这个|项目|工作区)/u.test(name);
    if (here) return [{ kind: "list", path: ".", deep: false }];
    if (noun !== undefined && name !== "") return [{ kind: "list", path: name, deep: false }];
  }
  return [];
}

const LIST_FILLERS =
  /(?<![\p{L}\p{N}_.-])(?:all|the|every|of|in|inside|under|within|from|files?|folders?|director(?:y|ies)|contents?|everything|me|please|here|there|are|is|exist|this|current|my|and|its|subfolders?|subdirectories|recursively|project|workspace|repo|repository|names?|what|which|tree|structure)(?![\p{L}\p{N}_.-])|所有|全部|目录|文件夹|文件|内容|结构|[下中里]面?|的|有哪些|有什么|是什么样?|怎么样|当前|本|这个|项目|一下|请|帮我|[?？!！。，,;；:：]|\.(?=\s|$)/giu;
const ABOUT_FILES = /files?|folder|director|contents?|everything|here|tree|structure|目录|文件|内容|结构/iu;

function listIntents(clause: Clause, goal: MarkedGoal): Intent[] {
  const part = `${/^[a-z]/iu.test(clause.verb) && !/structure|tree|layout/iu.test(clause.verb) ? "" : clause.before} ${clause.rest}`;
  const deep = /recursive|tree|structure|layout|subfolder|subdirector|递归|结构|树/iu.test(
    `${clause.verb} ${part}`,
  );
  const marks = marksIn(part, goal);
  if (marks.some((mark) => mark.kind === "glob")) return lookupIntents(clause, goal);
  if (marks.length > 0) return marks.flatMap((mark) => listMark(mark, deep));
  const structure = /structure|layout|结构/iu.test(clause.verb);
  const words = (structure ? clause.before : part)
    .replace(LIST_FILLERS, " ")
    .trim()
    .split(/\s+/u)
    .filter(Boolean);
  const about = ABOUT_FILES.test(`${clause.verb} ${part}`);
  if (words.length === 0 && (about || part.trim() === "")) return [{ kind: "list", path: ".", deep }];
  const place = findPlace(part);
  if (words.length === 1 && (about || place || part.trim() === words[0])) {
    return [{ kind: "list", path: words[0] as string, deep }];
  }
  return place && about ? [{ kind: "list", path: resolvePlace(place.text, goal), deep }] : [];
}

function listMark(mark: Mark, deep: boolean): Intent[] {
  if (mark.kind === "file") return readMark(mark, false);
  return mark.kind === "url" ? [] : [{ kind: "list", path: mark.text, deep }];
}

function distinct(intents: Intent[]): Intent[] {
  return [...new Map(intents.map((intent) => [JSON.stringify(intent), intent])).values()];
}
