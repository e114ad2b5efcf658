import { describe, expect, it } from "vitest";
import { parseGoal } from "../../src/provider/offline/goal-intents.ts";

const read = (path: string) => ({ kind: "read", path });
const list = (path: string, deep = false) => ({ kind: "list", path, deep });
const find = (pattern: string, path = ".") => ({ kind: "find", pattern, path });
const search = (pattern: string, path = ".") => ({ kind: "search", pattern, path });

const UNDERSTOOD: Record<string, object[]> = {
  "Read README.md in the current directory and tell me what it is about": [read("README.md")],
  "读取当前目录下的 README.md": [read("README.md")],
  "读取当前目录下的README.md": [read("README.md")],
  "读取README.md和package.json": [read("README.md"), read("package.json")],
  "阅读 说明.md 和 计划.txt，并总结": [read("说明.md"), read("计划.txt")],
  "读取当前目录下的说明.md": [read("说明.md")],
  "Summarize README.md, docs/guide.md and src/a.ts.": [
    read("README.md"),
    read("docs/guide.md"),
    read("src/a.ts"),
  ],
  'Read "my notes.txt" and `a b.md`': [read("my notes.txt"), read("a b.md")],
  "打开《项目 说明.md》": [read("项目 说明.md")],
  "Read größe.txt and файл.txt": [read("größe.txt"), read("файл.txt")],
  "what is in package.json?": [read("package.json")],
  "package.json 里有什么？": [read("package.json")],
  "How does src/loop/agent-loop.ts work?": [read("src/loop/agent-loop.ts")],
  "Tell me about the LICENSE": [read("LICENSE")],
  "read ../secret.txt": [read("../secret.txt")],
  "/etc/passwd": [read("/etc/passwd")],
  "Show .gitignore": [read(".gitignore")],
  "Read notes.md in the docs folder": [read("docs/notes.md")],
  "读取 docs 目录下的 notes.md": [read("docs/notes.md")],
  "read lines 10-20 of src/limits.ts": [{ ...read("src/limits.ts"), range: { from: 10, lines: 11 } }],
  "读取 src/limits.ts 的前 5 行": [{ ...read("src/limits.ts"), range: { from: 1, lines: 5 } }],
  "Read package.json and list the dependencies": [read("package.json")],
  "list the exports of src/a.ts": [read("src/a.ts")],
  "list the files in src": [list("src")],
  "list src": [list("src")],
  ls: [list(".")],
  "What files are in the docs folder?": [list("docs")],
  "What's in the current directory?": [list(".")],
  "what is in src?": [list("src")],
  "show me the files in src/tools": [list("src/tools")],
  "show the directory structure": [list(".", true)],
  "列出 src 目录": [list("src")],
  列出src目录下的所有文件: [list("src")],
  "当前目录有哪些文件？": [list(".")],
  "src 目录里有什么": [list("src")],
  "列出“我的 文件”目录": [list("我的 文件")],
  项目结构是什么样的: [list(".", true)],
  "find all *.ts files": [find("**/*.ts")],
  "find all *.ts files in src": [find("**/*.ts", "src")],
  "find src/**/*.test.ts": [find("src/**/*.test.ts")],
  "查找所有 .md 文件": [find("**/*.md")],
  "查找所有.md文件": [find("**/*.md")],
  "查找所有 TypeScript 文件": [find("**/*.ts")],
  "列出 src 下所有 .ts 文件": [find("**/*.ts", "src")],
  "where is package.json": [find("**/package.json")],
  "find files named config": [find("**/*config*")],
  "search for TODO in src": [search("TODO", "src")],
  "在 src 中搜索 foo": [search("foo", "src")],
  在src中搜索foo: [search("foo", "src")],
  "在 src 目录下搜索“TODO 项”": [search("TODO 项", "src")],
  "搜索 src 中的 foo": [search("foo", "src")],
  "搜索 TODO": [search("TODO")],
  "查找包含 foo 的文件": [search("foo")],
  "find files containing foo": [search("foo")],
  "search README.md for sandbox": [search("sandbox", "README.md")],
  "grep foo in src/errors.ts": [search("foo", "src/errors.ts")],
  'look for "hello world" in docs': [search("hello world", "docs")],
  "search for open and close in src": [search("open and close", "src")],
  "search for createServer( in src": [search("createServer\\(", "src")],
  "search for the regex foo.*bar in src": [search("foo.*bar", "src")],
  "list the files in src and search for foo in docs": [list("src"), search("foo", "docs")],
  "Read a.md, then find all *.json files": [read("a.md"), find("**/*.json")],
};

describe("goals the offline planner understands", () => {
  it.each(Object.entries(UNDERSTOOD))("%s", (goal, intents) => {
    expect(parseGoal(goal)).toEqual({ intents, beyond: [], urls: [] });
  });
});

describe("goals beyond the offline planner", () => {
  it.each([
    "Hello",
    "你好",
    "What is Node.js?",
    "mail foo@bar.com",
    "What do you think, e.g. about art?",
    "",
    "?!",
  ])("understands nothing to do in %j", (goal) => {
    expect(parseGoal(goal)).toEqual({ intents: [], beyond: [], urls: [] });
  });

  it.each([
    ["Read README.md and fix the typos", ["fix"]],
    ["Write a poem to poem.txt", ["write"]],
    ["翻译 README.md", ["翻译"]],
    ["读取 README.md，然后修改它", ["修改"]],
    ["Please delete src", ["delete"]],
  ])("sees that %j asks for more than looking", (goal, beyond) => {
    expect(parseGoal(goal).beyond).toEqual(beyond);
  });

  it("does not take a verb inside a name or a search for one of its own", () => {
    expect(parseGoal("Read update.md and docs/delete.md").beyond).toEqual([]);
    expect(parseGoal('search for "fix it" in src').beyond).toEqual([]);
    expect(parseGoal("search for delete in src").beyond).toEqual([]);
  });

  it("keeps URLs apart from files", () => {
    expect(parseGoal("Open https://example.com/readme.md")).toEqual({
      intents: [],
      beyond: [],
      urls: ["https://example.com/readme.md"],
    });
  });
});
