/** A part of a goal that stands for a name and must not be read as words: quoted, a file, a path, a glob or a URL. */
export interface Mark {
  kind: "quoted" | "file" | "path" | "glob" | "url";
  text: string;
}

/** A goal whose names are replaced by one private-use character each, so that a verb inside a name is no verb. */
export interface MarkedGoal {
  text: string;
  marks: readonly Mark[];
}

const GOAL_MAX_CHARS = 4_000;
const MARKS_MAX = 200;
const NAME_MAX_CHARS = 400;
const FIRST_MARK = 0xe000;
/** One mark, as a regular expression's source. */
export const MARK = "[\\uE000-\\uF8FF]";
const CJK = "\\p{Script=Han}";

const VERBATIM = new RegExp(
  [
    `"([^"\\n]{1,400})"`,
    `“([^”\\n]{1,400})”`,
    `「([^」\\n]{1,400})」`,
    `『([^』\\n]{1,400})』`,
    `《([^》\\n]{1,400})》`,
    "`([^`\\n]{1,400})`",
    `‘([^’\\n]{1,400})’`,
    `(?<![\\p{L}\\p{N}])'([^'\\n]{1,400})'(?![\\p{L}\\p{N}])`,
    `(?<url>[a-z][a-z0-9+.-]{1,20}://[^\\s，。；、）]{1,2000})`,
    MARK,
  ].join("|"),
  "giu",
);
const GLOB =
  /[^\s"'，。；：！？、（）\uE000-\uF8FF*]{0,200}\*[^\s"'，。；：！？、（）\uE000-\uF8FF]{0,200}/gu;
const TOKEN = /[^\s,;:!"“”'‘’，。；：！？、（）()<>|\uE000-\uF8FF]+/gu;
const SUFFIX_GLOB = /(?<![A-Za-z0-9_\\/*-])(\.[A-Za-z0-9]{1,8})(?=\s*(?:files?\b|文件|结尾|后缀))/giu;

const EXTENSION = /\.(?=[A-Za-z0-9_]*[A-Za-z])[A-Za-z0-9_]{1,10}(?![A-Za-z0-9_./\\-])/u;
const BARE_NAMES =
  /^(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|NOTICE|AUTHORS|CODEOWNERS|(?:Make|Docker|Gem|Rake|Proc|Jenkins)file)$/;
const NOT_FILES = /^(?:e\.g|i\.e|a\.m|p\.m|(?:node|next|vue)\.js|[^@/]+@[^@/]+\.[a-z]+)$/i;
const NOT_PATHS = /^(?:and\/or|either\/or|yes\/no|n\/a|w\/o|i\/o|read\/write|input\/output|\/+)$/i;
/** What Chinese writes right before a file name, without a space. */
const LEAD_IN =
  /^(?:请|帮我|读取|阅读|打开|查看|看看|读一下|看一下|总结|概括|介绍|分析|解释|显示|告诉我|列出|查找|搜索|当前(?:目录|文件夹)|目录|文件夹|文件|[下中里]面?的|一下)/u;
const SAID = /读|阅|看|打开|查|总结|概括|介绍|解释|分析|显示|请|的|文件|目录/u;
const ASCII_TAIL = /[A-Za-z0-9_.\-/\\]+$/;

/** Finds the names in a goal. */
export function markGoal(goal: string): MarkedGoal {
  const marks: Mark[] = [];
  const mark = (kind: Mark["kind"], text: string): string => {
    if (text.trim() === "" || marks.length >= MARKS_MAX) return " ";
    marks.push({ kind, text: text.trim() });
    return String.fromCharCode(FIRST_MARK + marks.length - 1);
  };
  const text = goal
    .slice(0, GOAL_MAX_CHARS)
    .replace(VERBATIM, (whole: string, ...groups: unknown[]) => {
      const named = groups.at(-1) as { url?: string };
      if (named.url !== undefined) return ` ${mark("url", named.url)} `;
      const quoted = groups.slice(0, 8).find((group) => typeof group === "string");
      return quoted === undefined ? whole.replace(/./gu, " ") : ` ${mark("quoted", quoted as string)} `;
    })
    .replace(SUFFIX_GLOB, (_, suffix: string) => mark("glob", `*${suffix}`))
    .replace(GLOB, (token) => markGlob(token, mark))
    .replace(TOKEN, (token) => markToken(token, mark));
  return { text, marks };
}

/** The marks that stand in this part of the goal, in order. */
export function marksIn(part: string, goal: MarkedGoal): Mark[] {
  const found: Mark[] = [];
  for (const char of part) {
    const mark = markAt(char, goal);
    if (mark) found.push(mark);
  }
  return found;
}

export function markAt(char: string, goal: MarkedGoal): Mark | undefined {
  return goal.marks[char.charCodeAt(0) - FIRST_MARK];
}

/** Whether a quoted text reads like the name of a file. */
export function looksLikeFile(text: string): boolean {
  return /\.[\p{L}\p{N}_]{1,10}$|^[^\s]*[/\\]|^\.[\p{L}\p{N}_.-]+$/u.test(text) || BARE_NAMES.test(text);
}

type Marker = (kind: Mark["kind"], text: string) => string;

function markGlob(token: string, mark: Marker): string {
  const core = new RegExp(`^${CJK}*(.*?)(?:${CJK}*|[,.;:!?]*)$`, "u").exec(token)?.[1] ?? "";
  if (!core.includes("*") || !/[\p{L}\p{N}./]/u.test(core)) return token.replaceAll("*", " ");
  const start = token.indexOf(core);
  return `${token.slice(0, start)}${mark("glob", core)}${token.slice(start + core.length)}`;
}

function markToken(token: string, mark: Marker): string {
  const clean = token.replace(/[.…?]+$/u, (tail) => (/^\.{1,2}$/.test(token) ? tail : ""));
  if (/^(?:\.{1,2}|~)$/.test(clean)) return mark("path", clean);
  if (clean === "" || NOT_FILES.test(clean) || NOT_PATHS.test(clean)) return token;
  if (BARE_NAMES.test(clean)) return mark("file", clean);
  let out = "";
  let rest = clean;
  for (let found = EXTENSION.exec(rest); found; found = EXTENSION.exec(rest)) {
    const end = found.index + found[0].length;
    const [before, name] = splitLeadIn(rest.slice(0, end), out !== "");
    out += before + mark("file", name);
    rest = rest.slice(end);
  }
  if (/[/\\]/.test(rest) && !new RegExp(`^${CJK}+$`, "u").test(rest)) {
    const [before, name] = splitLeadIn(rest, out !== "");
    return out + before + mark("path", name);
  }
  return out + rest;
}

/** Parts "读取当前目录下的README.md" into what is said and what is named. */
function splitLeadIn(text: string, follows: boolean): [said: string, name: string] {
  const tail = ASCII_TAIL.exec(text.slice(-NAME_MAX_CHARS))?.[0] ?? "";
  const said = text.slice(0, text.length - tail.length);
  if (/^[^.]/.test(tail) && SAID.test(said)) return [said, tail];
  let name = follows ? text.replace(/^(?:和|与|及|以及|跟|、)/u, "") : text;
  for (let lead = LEAD_IN.exec(name); lead; lead = LEAD_IN.exec(name)) {
    const shorter = name.slice(lead[0].length);
    if (shorter === "" || /^\.[^./]*$/.test(shorter)) break;
    name = shorter;
  }
  return [text.slice(0, text.length - name.length), name];
}
