import fc from "fast-check";
import type { JSONSchema } from "json-schema-to-ts";
import { describe, expect, it } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import {
  isText,
  isToolUse,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../src/messages.ts";
import { OfflineProvider } from "../../src/provider/offline/offline-provider.ts";
import type { ModelResponse, StreamSink, ToolDescription } from "../../src/provider/provider.ts";
import { compileInputSchema } from "../../src/tools/input-schema.ts";

const string = { type: "string", minLength: 1 };
const tool = (name: string, properties: object, required: string[]): ToolDescription => ({
  name,
  description: name,
  input_schema: { type: "object", additionalProperties: false, required, properties },
});
const line = { type: "integer", minimum: 1 };
const READ = tool("read_file", { path: string, offset: line, limit: line }, ["path"]);
const LIST = tool("list_dir", { path: string, depth: line }, ["path"]);
const GLOB = tool("glob", { pattern: string, path: string }, ["pattern"]);
const GREP = tool("grep", { pattern: string, path: string }, ["pattern"]);
const ALL = [GLOB, GREP, LIST, READ];

const QUIET: StreamSink = { onText() {}, onThinking() {}, onWithdrawn() {}, onRetry() {} };

function ask(messages: Message[], tools: ToolDescription[] = ALL, sink = QUIET): Promise<ModelResponse> {
  const request = { system: "", tools, messages, maxTokens: 1_000 };
  return new OfflineProvider().stream(request, sink, new AbortController().signal);
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

type Outcome = string | string[] | { error: string };

/** Works a goal off: every call is answered by `answer`, until the provider makes no more. */
async function converse(
  goal: string,
  answer: (use: ToolUseBlock) => Outcome,
  tools = ALL,
): Promise<Message[]> {
  const messages: Message[] = [user(goal)];
  for (let step = 0; step < 5; step += 1) {
    const { content, stopReason } = await ask(messages, tools);
    messages.push({ role: "assistant", content });
    if (stopReason !== "tool_use") return messages;
    messages.push({
      role: "user",
      content: content.filter(isToolUse).map((use) => resultOf(use, answer(use))),
    });
  }
  throw new Error("the provider never ends");
}

function resultOf(use: ToolUseBlock, outcome: Outcome): ToolResultBlock {
  const failed = typeof outcome === "object" && !Array.isArray(outcome);
  const texts = failed ? [outcome.error] : [outcome].flat();
  const content = texts.map((text) => ({ type: "text" as const, text }));
  return { type: "tool_result", tool_use_id: use.id, content, ...(failed && { is_error: true }) };
}

function textOf(message: Message | undefined): string {
  return (message?.content ?? [])
    .filter(isText)
    .map((block) => block.text)
    .join("");
}

function callsOf(messages: Message[]): unknown[] {
  return messages
    .filter((message) => message.role === "assistant")
    .map((message) => message.content.filter(isToolUse).map(({ name, input }) => [name, input]))
    .filter((calls) => calls.length > 0);
}

const MARKDOWN = `# Harbour

[![build](https://img.example/b.svg)](https://ci.example)

Harbour is a small server that keeps ships in a queue. It never loses one.

## Install

\`\`\`sh
npm install harbour
\`\`\`

## Use

Start the server and point a ship at it. Ships wait in the queue until the harbour has room.
`;

describe("what the offline provider answers", () => {
  it("reads a text and tells its heading, its summary, its sections and its size", async () => {
    const messages = await converse("Read README.md and tell me what it is about", () => MARKDOWN);
    expect(callsOf(messages)).toEqual([[["read_file", { path: "README.md" }]]]);
    expect(textOf(messages[1])).toBe("I'll read README.md.");
    expect(textOf(messages.at(-1))).toMatchInlineSnapshot(`
      "(offline planner: no language model)

      README.md (290 bytes, 15 lines)
      Heading: Harbour
      Summary (sentences taken from the text):
      - Harbour is a small server that keeps ships in a queue.
      - Start the server and point a ship at it.
      - Ships wait in the queue until the harbour has room.
      Sections: Install, Use"
    `);
  });

  it("answers a Chinese goal in Chinese", async () => {
    const text = "# 港口\n\n港口是一个管理船只队列的小服务器。它从不丢失船只。\n";
    const messages = await converse("读取当前目录下的 README.md", () => text);
    expect(textOf(messages[1])).toBe("我来读取 README.md。");
    expect(textOf(messages.at(-1))).toMatchInlineSnapshot(`
      "（离线规划器：没有语言模型；offline planner: no language model）

      README.md (86 字节，3 行)
      标题：港口
      摘要（摘自原文）：
      - 港口是一个管理船只队列的小服务器。
      - 它从不丢失船只。"
    `);
  });

  it("makes several calls in one turn and answers each in its order", async () => {
    const messages = await converse("Read package.json, src/a.ts and 'empty file.txt'", (use) => {
      const path = (use.input as { path: string }).path;
      if (path === "package.json")
        return '{"name":"harbour","version":"1.2.3","description":"Ships","scripts":{"a":"b"}}';
      return path === "src/a.ts"
        ? "/** Counts ships. */\nexport function count() {}\nexport class Ship {}\n"
        : "(empty file)";
    });
    expect(callsOf(messages)).toEqual([
      [
        ["read_file", { path: "package.json" }],
        ["read_file", { path: "src/a.ts" }],
        ["read_file", { path: "empty file.txt" }],
      ],
    ]);
    expect(textOf(messages.at(-1))).toMatchInlineSnapshot(`
      "(offline planner: no language model)

      package.json (78 bytes, 1 line)
      name: harbour
      version: 1.2.3
      description: Ships
      Keys: name, version, description, scripts {1}

      src/a.ts (69 bytes, 3 lines)
      First comment: Counts ships.
      Exports: count, Ship

      empty file.txt (0 bytes, 0 lines)
      The file is empty."
    `);
  });

  it("says what the tool says beside the file: that there is more, and how to go on", async () => {
    const note = "Showing lines 1 to 1 of 90; use offset=2 to continue.";
    const messages = await converse("read long.txt", () => ["One line.\n[truncated]", note]);
    expect(textOf(messages.at(-1))).toContain(`long.txt (9 bytes, 1 line)`);
    expect(textOf(messages.at(-1))).toContain(`[${note}]`);
  });

  it("lists a folder with counts", async () => {
    const messages = await converse("list the files in src", () => "a.ts\nb/\nc.ts\n");
    expect(callsOf(messages)).toEqual([[["list_dir", { path: "src" }]]]);
    expect(textOf(messages.at(-1))).toBe(
      "(offline planner: no language model)\n\nsrc: 1 folder, 2 files\n  a.ts\n  b/\n  c.ts",
    );
  });

  it("shows the hits of a search", async () => {
    const messages = await converse(
      "search for TODO in src",
      () => "src/a.ts:3:// TODO one\nsrc/b.ts:9:// TODO two\n",
    );
    expect(callsOf(messages)).toEqual([[["grep", { pattern: "TODO", path: "src" }]]]);
    expect(textOf(messages.at(-1))).toContain("grep TODO (src): 2 hits in 2 files\n  src/a.ts:3:// TODO one");
  });

  it.each([
    ["find all *.md files", "No file matches **/*.md.", "glob **/*.md: No file matches."],
    ["search for TODO", "Nothing matches TODO (3 files searched).", "grep TODO: Nothing matches."],
    ["list the files in src", "(no entries)", "src: The folder is empty."],
  ])("says so when %j finds nothing", async (goal, result, said) => {
    expect(textOf((await converse(goal, () => result)).at(-1))).toContain(said);
  });

  it("counts a single path that was found", async () => {
    const messages = await converse("find README.md", () => "docs/README.md");
    expect(textOf(messages.at(-1))).toContain("glob **/README.md: 1 file found\n  docs/README.md");
  });

  it("suggests near names when a file is not found, after one look into its folder", async () => {
    const messages = await converse("Read docs/gude.md", (use) =>
      use.name === "list_dir" ? "guide.md\nother.txt\n" : { error: "not_found: docs/gude.md does not exist" },
    );
    expect(callsOf(messages)).toEqual([
      [["read_file", { path: "docs/gude.md" }]],
      [["list_dir", { path: "docs" }]],
    ]);
    expect(textOf(messages.at(-1))).toBe(
      "(offline planner: no language model)\n\ndocs/gude.md: not_found (docs/gude.md does not exist)\n" +
        "Check the spelling and the folder; paths are relative to the workspace.\nDid you mean guide.md?",
    );
  });

  it("says what went wrong, and what to do, when a call is refused", async () => {
    const messages = await converse("读取 ../secret.txt", () => ({
      error: "permission_error: outside the workspace",
    }));
    expect(textOf(messages.at(-1))).toContain(
      "../secret.txt: permission_error (outside the workspace)\n只能打开工作区内",
    );
  });

  it("does what it can when a tool is not offered, and says so", async () => {
    const messages = await converse("Read a.txt and list the files in src", () => "A text.", [READ]);
    expect(callsOf(messages)).toEqual([[["read_file", { path: "a.txt" }]]]);
    expect(textOf(messages.at(-1))).toContain("This needs list_dir, which this run does not offer.");
  });
});

describe("what the offline provider refuses", () => {
  it.each([
    ["Write me a poem", "I only look at files; this goal asks for more (write)."],
    ["Hello", "I can't do what this goal asks for."],
    ["Open https://example.com/a.md", "I have no network and can't open https://example.com/a.md."],
    ["帮我翻译 README.md", "我只能查看文件，而这个目标要求更多（翻译）。"],
  ])("refuses %j and says what it can do", async (goal, why) => {
    const response = await ask([user(goal)]);
    expect(response).toMatchObject({ stopReason: "refusal", stopDetails: why });
    expect(textOf({ role: "assistant", content: response.content })).toContain(why);
    expect(textOf({ role: "assistant", content: response.content })).toMatch(
      /no language model.*README\.md/s,
    );
  });

  it("refuses when no tool that the goal needs is offered", async () => {
    const response = await ask([user("list the files in src")], [READ]);
    expect(response).toMatchObject({
      stopReason: "refusal",
      stopDetails: "This needs list_dir, which this run does not offer.",
    });
  });

  it("does not call a tool whose schema asks for more than it knows", async () => {
    const strange = tool("read_file", { path: string, reason: string }, ["path", "reason"]);
    expect((await ask([user("Read a.txt")], [strange])).stopReason).toBe("refusal");
  });
});

describe("how the offline provider streams", () => {
  it("streams its text in pieces that add up to it, and counts no tokens", async () => {
    const pieces: string[] = [];
    const response = await ask([user("Hello")], ALL, { ...QUIET, onText: (text) => pieces.push(text) });
    expect(pieces.length).toBeGreaterThan(20);
    expect(pieces.join("")).toBe(textOf({ role: "assistant", content: response.content }));
    expect(response.usage).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    });
  });

  it("stops in the middle of a text when the run is aborted", async () => {
    const controller = new AbortController();
    const pieces: string[] = [];
    const sink = {
      ...QUIET,
      onText: (text: string) => {
        if (pieces.push(text) === 3) controller.abort();
      },
    };
    const request = { system: "", tools: ALL, messages: [user("Hello")], maxTokens: 1 };
    const error = await new OfflineProvider()
      .stream(request, sink, controller.signal)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RuiZNError);
    expect(error).toMatchObject({ code: "aborted" });
    expect(pieces).toHaveLength(3);
  });
});

const WORDS =
  `read list find search for in the src README.md "my file.txt" *.ts **/*.json ../x /etc/passwd . .. ~ and then files all
   读取 列出 查找 搜索 在 中 目录 文件 所有 的 package.json 说明.md “引 号” \` ' " * ? \\ / // a/b fix 修改 lines 3-9 first 5 lines
   https://a.b/c \uE000 \uF8FF \uD800 \u0000 e.g. Node.js containing named regex`.split(/\s+/);
const goals = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 14 }).map((words) => words.join(" ")),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const anyOutcome = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.string({ maxLength: 80 }), { maxLength: 3 }),
  fc.string({ maxLength: 80 }).map((error) => ({ error })),
  fc.constantFrom(MARKDOWN, "{", "[1,2]", '{"a":1}', { error: "not_found: x" }, { error: "invalid_input" }),
);

describe("whatever the goal is", () => {
  it("every turn is valid for the Messages API, and the same messages give the same turn", async () => {
    const tools = fc.subarray(ALL);
    await fc.assert(
      fc.asyncProperty(
        goals,
        tools,
        fc.array(anyOutcome, { minLength: 1, maxLength: 5 }),
        async (goal, offered, outcomes) => {
          let calls = 0;
          const messages = await converse(
            goal,
            () => outcomes[calls++ % outcomes.length] as Outcome,
            offered,
          );
          const turns = messages.filter((message) => message.role === "assistant");
          for (const turn of turns) expectValid(turn, offered);
          const ids = turns.flatMap((turn) => turn.content.filter(isToolUse).map(({ id }) => id));
          expect(new Set(ids).size).toBe(ids.length);
          const again = await ask(messages.slice(0, -1), offered);
          expect(again.content).toEqual(messages.at(-1)?.content);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it("a goal of any length is worked off in bounded time", async () => {
    const long = [
      "a".repeat(200_000),
      "* ".repeat(50_000),
      "读取".repeat(50_000),
      '"'.repeat(100_000),
      "in src ".repeat(20_000),
    ];
    for (const goal of long)
      expectValid({ role: "assistant", content: (await ask([user(goal)])).content }, ALL);
  });
});

function expectValid(message: Message, offered: ToolDescription[]): void {
  expect(message.content.length).toBeGreaterThan(0);
  for (const block of message.content) {
    if (isText(block)) expect(block.text.trim()).not.toBe("");
  }
  for (const use of message.role === "assistant" ? message.content.filter(isToolUse) : []) {
    expect(use.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const tool = offered.find(({ name }) => name === use.name);
    if (!tool) throw new Error(`${use.name} is not offered`);
    expect(validatorOf(tool)(use.input)).toBeUndefined();
  }
}

const validators = new Map<string, (input: unknown) => string | undefined>();
function validatorOf({ name, input_schema }: ToolDescription): (input: unknown) => string | undefined {
  const known = validators.get(name);
  if (known) return known;
  const validate = compileInputSchema({ name, inputSchema: input_schema as Exclude<JSONSchema, boolean> });
  validators.set(name, validate);
  return validate;
}
