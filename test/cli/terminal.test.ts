import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { text, toolUse, turn } from "../../src/testing.ts";
import { scriptedModel, startShell, tempFolder } from "./cli-process.ts";

/** `script` of util-linux gives the command a terminal of its own. */
const hasScript = spawnSync("script", ["--version"]).status === 0;
const onTerminal = test.skipIf(!hasScript);

async function screen(
  command: string,
  script: Parameters<typeof scriptedModel>[0],
  env: Record<string, string> = {},
) {
  const model = await scriptedModel(script);
  const folder = tempFolder({ "README.md": "tea" });
  const run = startShell(`script -qec '"$NODE" "$BIN" ${command}' /dev/null`, {
    cwd: folder,
    env: { TERM: "xterm-256color", ...model.env, ...env },
  });
  return (await run.done).stdout.replaceAll("\r\n", "\n");
}

const ANSWER = [
  turn([
    { type: "text", text: "I'll read the file." },
    { type: "tool_use", name: "read_file", input: { path: "README.md" } },
  ]),
  text("It is about tea."),
];

onTerminal("a terminal shows one transcript, in colour", async () => {
  expect(await screen("run --goal go", ANSWER)).toMatch(
    new RegExp(
      [
        /^\u001b\[2m\[run\]\u001b\[22m \d{8}-\d{6}-[a-z0-9]{6} started\n/,
        /I'll read the file\.\n/,
        /\u001b\[2m\[tool\]\u001b\[22m read_file \{"path": "README\.md"\}\n/,
        /\u001b\[2m\[tool\]\u001b\[22m read_file ok 3 B \d+ ms\n/,
        /It is about tea\.\n/,
        /\u001b\[2m\[run\]\u001b\[22m \u001b\[32msuccess 2 steps \d+\.\ds\u001b\[39m\n$/,
      ]
        .map(({ source }) => source)
        .join(""),
    ),
  );
});

onTerminal.each([
  ["NO_COLOR", "", { NO_COLOR: "1" }],
  ["--color never", "--color never", {}],
  ["TERM=dumb", "", { TERM: "dumb" }],
  ["CI", "", { CI: "true" }],
  ["FORCE_COLOR=0", "", { FORCE_COLOR: "0" }],
] as const)("%s: no escape sequence at all", async (_, flags, env) => {
  const shown = await screen(`run --goal go ${flags}`, ANSWER, env);
  expect(shown).toContain("It is about tea.\n");
  expect(shown).not.toContain("\u001b");
});

onTerminal("an empty NO_COLOR counts as unset; --color stands above NO_COLOR", async () => {
  expect(await screen("run --goal go", ANSWER, { NO_COLOR: "" })).toContain("\u001b[2m");
  expect(await screen("run --goal go --color always", ANSWER, { NO_COLOR: "1" })).toContain("\u001b[2m");
});

test("a pipe has no colour unless it is asked for, and then only in the notes", async () => {
  const model = await scriptedModel(() => text("done"));
  const plain = await startShell("ruizn run --goal go", { env: model.env }).done;
  expect(plain.stderr + plain.stdout).not.toContain("\u001b");
  const forced = await startShell("ruizn run --goal go", { env: { ...model.env, FORCE_COLOR: "1" } }).done;
  expect(forced.stderr).toContain("\u001b[2m[run]");
  expect(forced.stdout).toBe("done\n");
});

onTerminal("nothing that a model, a file or a tool says can drive the terminal", async () => {
  const hostile = "\u001b]0;owned\u0007\u001b[2J\u009b2K\u202etxt\rfake";
  const script = [
    turn([
      { type: "text", text: hostile },
      { type: "tool_use", name: "read_file", input: { path: `${hostile}.md` } },
    ]),
    toolUse("read_file", { path: "README.md" }),
    text(hostile, { chunkChars: 1 }),
  ];
  const shown = await screen("run --goal go", script, { NO_COLOR: "1" });
  expect(shown).toContain("\\x1b]0;owned\\x07\\x1b[2J\\x9b2K\\u202etxt\\x0dfake\n[run] success");
  expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

onTerminal("a file's content on a terminal is escaped as well", async () => {
  const folder = tempFolder({ a: "\u001b[31mred" });
  const run = startShell(
    `script -qec '"$NODE" "$BIN" tools call read_file "{\\"path\\": \\"a\\"}"' /dev/null`,
    {
      cwd: folder,
    },
  );
  expect((await run.done).stdout).toBe("\\x1b[31mred\r\n");
});
