import { expect, test } from "vitest";
import { type PolicyRules, RulePolicy } from "../../src/policy/rule-policy.ts";
import { BaseTool, type PathUse } from "../../src/tools/base-tool.ts";

class FakeNamedTool extends BaseTool {
  readonly name: string;
  readonly description = "";
  readonly inputSchema = { type: "object" } as const;
  readonly annotations;
  readonly profile;

  constructor(name: string, readOnlyHint: boolean) {
    super();
    this.name = name;
    this.profile = readOnlyHint ? ("read" as const) : ("write" as const);
    this.annotations = { readOnlyHint, destructiveHint: !readOnlyHint, idempotentHint: true };
  }

  override paths(input: unknown): PathUse[] {
    const { path } = input as { path?: string };
    return path === undefined ? [] : [{ path, access: "read" }];
  }
}

const READ = new FakeNamedTool("read_file", true);
const GREP = new FakeNamedTool("grep", true);
const WRITE = new FakeNamedTool("write_file", false);
const SHELL = new FakeNamedTool("shell", true);
const KNOWN = ["read_file", "grep", "write_file", "shell"];

function policy(rules: Partial<PolicyRules>[], sandbox: "read-only" | "workspace-write" = "workspace-write") {
  const whole = rules.map((set): PolicyRules => ({ disallowed: [], mode: "default", ...set }));
  return new RulePolicy({ root: "/w", sandbox, rules: whole, known: KNOWN });
}

const allows = (of: RulePolicy, tool: BaseTool, input: unknown = { path: "a" }) =>
  of.decide(tool, input).allowed;

test("without rules everything that the sandbox allows is allowed", () => {
  expect([READ, GREP, WRITE].map((tool) => allows(policy([]), tool))).toEqual([true, true, true]);
  const readOnly = policy([], "read-only");
  expect([READ, WRITE].map((tool) => allows(readOnly, tool))).toEqual([true, false]);
  expect([READ, WRITE].map((tool) => readOnly.mayOffer(tool))).toEqual([true, false]);
});

test("an allow list is the whole of what is allowed; an empty one allows nothing", () => {
  const only = policy([{ allowed: ["read_file"] }]);
  expect([READ, GREP].map((tool) => allows(only, tool))).toEqual([true, false]);
  expect([READ, GREP].map((tool) => only.mayOffer(tool))).toEqual([true, false]);
  expect(allows(policy([{ allowed: [] }]), READ)).toBe(false);
});

test("a deny rule stands above an allow rule", () => {
  const rules = policy([{ allowed: ["read_file"], disallowed: ["read_file(secret/**)"] }]);
  expect(allows(rules, READ, { path: "secret/key" })).toBe(false);
  expect(allows(rules, READ, { path: "./secret//key" })).toBe(false);
  expect(allows(rules, READ, { path: "/w/secret/key" })).toBe(false);
  expect(allows(rules, READ, { path: "open/key" })).toBe(true);
  expect(rules.mayOffer(READ)).toBe(true);
});

test("a pattern allows only what it matches, and nothing when a call names nothing", () => {
  const rules = policy([{ allowed: ["read_file(src/**)", "shell(git diff:*)"] }]);
  expect(allows(rules, READ, { path: "src/a.ts" })).toBe(true);
  expect(allows(rules, READ, { path: "README.md" })).toBe(false);
  expect(allows(rules, READ, {})).toBe(false);
  expect(allows(rules, SHELL, { command: "git diff --stat" })).toBe(true);
  expect(allows(rules, SHELL, { command: "git diff" })).toBe(true);
  expect(allows(rules, SHELL, { command: "git difftool" })).toBe(false);
});

test("a deny pattern also stops a call that names nothing to judge", () => {
  expect(allows(policy([{ disallowed: ["grep(secret/**)"] }]), GREP, {})).toBe(false);
});

test.each([
  ["src/**", "src/a/b.ts", true],
  ["src/**", "srcx/a.ts", false],
  ["src/**/x.ts", "src/x.ts", true],
  ["src/**/x.ts", "src/a/b/x.ts", true],
  ["src/**/x.ts", "src/ax.ts", false],
  ["**/x.ts", "x.ts", true],
  ["**", ".hidden/.x", true],
  ["*.ts", ".a.ts", true],
  ["*.ts", "a/b.ts", false],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["{src,test}/**", "test/a", true],
  ["[a-c].txt", "b.txt", true],
  ["[*][*].txt", "**.txt", true],
  ["файл*", "файл.txt", true],
])("a rule's glob %s denies %s: %s", (glob, path, denied) => {
  expect(!allows(policy([{ disallowed: [`read_file(${glob})`] }]), READ, { path })).toBe(denied);
});

test.each([
  ["read_file(secret**)", "cannot be read"],
  ["read_file(a/{b,c**}/d)", "cannot be read"],
  ["read_file([a)", "cannot be read: a [ without its ]"],
  ["read_file(a{1..9})", "cannot be read: {1..9}: ranges in braces are not known"],
])("the rule %s is an error, since it would deny something else than it seems to", (rule, problem) => {
  const message = `tool rule ${JSON.stringify(rule)} ${problem}`;
  expect(() => policy([{ disallowed: [rule] }])).toThrow(
    expect.objectContaining({ code: "settings_invalid", message }),
  );
});

test("a rule with two hundred stars against a path of four thousand characters is no work", () => {
  const started = performance.now();
  const rules = policy([{ disallowed: [`read_file(${"*a".repeat(200)})`] }]);
  expect(allows(rules, READ, { path: `${"a".repeat(4_000)}b` })).toBe(true);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("names may end in a star", () => {
  expect(policy([{ disallowed: ["read_*"] }]).mayOffer(READ)).toBe(false);
});

test("every set of rules must allow a call", () => {
  const rules = policy([{ allowed: ["read_file", "grep"] }, { disallowed: ["grep"] }, { mode: "plan" }]);
  expect([READ, GREP, WRITE].map((tool) => allows(rules, tool))).toEqual([true, false, false]);
});

test("plan mode runs nothing that writes, dont-ask nothing that is not listed", () => {
  expect(allows(policy([{ mode: "plan", allowed: ["write_file"] }]), WRITE)).toBe(false);
  expect(allows(policy([{ mode: "dont-ask" }]), READ)).toBe(false);
  expect(policy([{ mode: "dont-ask" }]).mayOffer(READ)).toBe(false);
  expect(allows(policy([{ mode: "dont-ask", allowed: ["read_file"] }]), READ)).toBe(true);
});

test.each(["", "read file", "read_file(", "read_file)x(", `x${"y".repeat(600)}`])(
  "a rule that cannot be read is refused: %s",
  (rule) => {
    expect(() => policy([{ disallowed: [rule] }])).toThrow(
      expect.objectContaining({ code: "settings_invalid", hint: expect.stringContaining("NAME") }),
    );
  },
);

test("a rule for a tool that does not exist is refused: it would deny nothing", () => {
  expect(() => policy([{ disallowed: ["grpe"] }])).toThrow(
    expect.objectContaining({
      code: "settings_invalid",
      message: "tool rule grpe names no tool",
      hint: "the tools are: read_file, grep, write_file, shell",
    }),
  );
});

test("the reason names the tool and the rule", () => {
  expect(policy([{ disallowed: ["read_file(a*)"] }]).decide(READ, { path: "abc" })).toEqual({
    allowed: false,
    reason: "read_file is denied by the rule read_file(a*)",
  });
});
