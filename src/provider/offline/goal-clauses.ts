import { MARK } from "./goal-marks.ts";

type ClauseKind = "read" | "list" | "find" | "search" | "beyond";

/** A verb of the goal and the words up to the next verb. */
export interface Clause {
  kind: ClauseKind;
  verb: string;
  /** What stands between the previous clause and the verb; for the first clause all before it. */
  before: string;
  rest: string;
}

const LIST = [
  "(?:what|which) (?:files|folders|directories)",
  "show (?:me )?(?:all |the |every )*(?:files|folders|directories|directory|folder)",
  "(?:directory|folder|project|file) (?:tree|structure|layout)",
  "list",
  "ls",
  "tree",
  "enumerate",
];
const SEARCH = ["search", "grep", "rg", "look for", "scan for"];
const FIND = ["find", "locate", "glob", "where is", "where are"];
const READ = [
  "what(?:'s| is| are| does) (?:in|inside)",
  "what does",
  "tell me about",
  "look (?:at|into)",
  "contents? of",
  "read",
  "open",
  "show",
  "view",
  "cat",
  "print",
  "display",
  "summari[sz]e",
  "explain",
  "describe",
  "review",
  "inspect",
  "check",
];
/** What a planner that only looks cannot do. */
const BEYOND = [
  "write",
  "create",
  "delete",
  "remove",
  "edit",
  "modify",
  "change",
  "fix",
  "rename",
  "move",
  "copy",
  "run",
  "execute",
  "install",
  "add",
  "replace",
  "update",
  "refactor",
  "implement",
  "generate",
  "translate",
  "commit",
  "push",
  "deploy",
  "download",
  "convert",
];
const ZH: Record<ClauseKind, string> = {
  list: "列出|罗列|列举|有(?:哪些|什么)文件|哪些文件|(?:目录|项目|文件)结构|文件列表",
  search: "搜索|检索|搜一下|搜",
  find: "查找|寻找|找出|找到|找一下|找",
  read: "读取|阅读|读|打开|查看|看看|看一下|显示|总结|概括|介绍|解释|分析|[里中下]面?有(?:什么|哪些)|有(?:什么|哪些)|内容",
  beyond:
    "写入|写|编写|创建|新建|删除|删掉|修改|编辑|重命名|移动|复制|运行|执行|安装|添加|替换|更新|重构|实现|生成|翻译|提交|下载|修复",
};

const VERB = new RegExp(
  [
    ["list", LIST, ZH.list],
    ["search", SEARCH, ZH.search],
    ["find", FIND, ZH.find],
    ["read", READ, ZH.read],
    ["beyond", BEYOND, ZH.beyond],
  ]
    .map(
      ([kind, en, zh]) => `(?<${kind as string}>\\b(?:${(en as string[]).join("|")})\\b|(?:${zh as string}))`,
    )
    .join("|"),
  "giu",
);
/** Where a sentence may start anew: only there is a verb after a search verb a verb, and not what is searched for. */
const FRESH_START =
  /(?:^|[,;.!?，。；！？]|\b(?:and|then|also|please|to|you|can|could|would)|并且?|然后|再|接着|请|帮我|可以|能)\s*$/iu;

/** Cuts a marked goal into clauses. `head` is what stands before the first verb, or everything when there is none. */
export function splitClauses(text: string): { head: string; clauses: Clause[] } {
  const clauses: Clause[] = [];
  let end = 0;
  for (const match of text.matchAll(VERB)) {
    const kind = kindOf(match.groups);
    if (!kind) continue;
    const between = text.slice(end, match.index);
    const last = clauses.at(-1);
    const bound = last?.kind === "search" || last?.kind === "find" || kind === "beyond";
    if (bound && !FRESH_START.test(between)) continue;
    if (last) last.rest = between;
    clauses.push({ kind, verb: match[0].toLowerCase(), before: between, rest: "" });
    end = match.index + match[0].length;
  }
  const last = clauses.at(-1);
  if (last) last.rest = text.slice(end);
  return { head: clauses[0]?.before ?? text, clauses };
}

function kindOf(groups: Record<string, string> | undefined): ClauseKind | undefined {
  for (const kind of ["list", "search", "find", "read", "beyond"] as const) {
    if (groups?.[kind] !== undefined) return kind;
  }
  return undefined;
}

const CURRENT =
  /^(?:current|this|the|my|project|repo|repository|workspace|codebase|here|everything|all|files?|directory|folder|tree|code|it|there|working|当前|本|这个|这里|此|项目|整个|所有|全部|工作区|代码库?|仓库|目录|文件夹?)+$/iu;
const NOUN = "directory|folder|dir|files?|project|repo|repository|workspace|codebase|module";
const PLACE_EN = new RegExp(
  `(?:^|[\\s,])(?:in|inside|under|within|from|across|throughout|of)\\s+(?:(?:the|my|this|all|our|current|whole|entire|working)\\s+)*(${MARK}|[\\p{L}\\p{N}_@.-]+)(?:\\s+(?<noun>${NOUN})\\b)?`,
  "giu",
);
const PLACE_ZH = new RegExp(
  `(?:在|^)\\s*(${MARK}|[^\\s，。；在${MARK.slice(1, -1)}]{1,100}?)\\s*(?<noun>目录|文件夹|文件|项目)?\\s*(?:下面|里面|当中|之中|[中里下内])(?:的|\\s|$|[，,])`,
  "gu",
);

export interface Place {
  /** A mark, a word, or "." for the workspace itself. */
  text: string;
  /** Whether the goal says that it is a folder. */
  folder: boolean;
  /** Where the words stand that name it. */
  start: number;
  end: number;
}

/** The last place that a part of a goal names ("in src", "在 src 中"). */
export function findPlace(part: string): Place | undefined {
  const match = [...part.matchAll(PLACE_EN)].at(-1) ?? [...part.matchAll(PLACE_ZH)].at(-1);
  const text = match?.[1];
  if (!match || text === undefined) return undefined;
  const folder = /^(?:directory|folder|dir|目录|文件夹)$/iu.test(match.groups?.["noun"] ?? "");
  return {
    text: CURRENT.test(text) ? "." : text,
    folder,
    start: match.index,
    end: match.index + match[0].length,
  };
}

/** Whether these words mean the workspace itself. */
export function meansHere(words: string): boolean {
  return words.trim() === "" || CURRENT.test(words.replace(/\s+/gu, ""));
}
