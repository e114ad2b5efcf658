import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text, toolUse, turn } from "../../testing/reply.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";

/** Each would do something to a terminal that it reached as it is. */
const SEQUENCES: readonly [id: string, what: string, bytes: string][] = [
  ["TO-001", "clears the screen", "\u001b[2J\u001b[H"],
  ["TO-001b", "sets the window's title", "\u001b]0;pwned\u0007"],
  ["TO-001c", "asks for the cursor's place", "\u001b[6n"],
  ["TO-001d", "goes to the other screen", "\u001b[?1049h"],
  ["TO-002", "writes to the clipboard", "\u001b]52;c;cm0gLXJm\u0007"],
  [
    "TO-002b",
    "shows another address than it links to",
    "\u001b]8;;http://evil.test\u001b\\click\u001b]8;;\u001b\\",
  ],
  ["TO-003", "uses control characters of one byte", "\u009b2J\u009d0;x\u009c"],
  ["TO-005", "goes back to the line's beginning", "rm -rf /\rls          "],
  ["TO-005b", "deletes what it has written", "rm -rf /\b\b\b\b\b\b\b\bls"],
  ["TO-006", "turns the text around", "\u202egpj.exe\u2066"],
  ["TO-006b", "hides text in tags", "a\u{e0041}\u{e0042}"],
  ["TO-009", "rings the bell", "\u0007\u0007"],
];

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const INVISIBLE = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/** The same bytes in everything that is shown: answer, thinking, tool name, input, path, result, error. */
const EVERYWHERE: CaseRow[] = SEQUENCES.map(([id, what, bytes]) => ({
  id,
  title: `${what}, from everything that a model or a file says`,
  run: async (stage) => {
    writeFileSync(join(stage.tree.root, "f.txt"), `before ${bytes} after\n`);
    writeFileSync(join(stage.tree.root, `n${bytes.replaceAll("/", "")}`), "x");
    const { terminal } = await stage.run({
      script: [
        turn([
          { type: "thinking", thinking: `hm ${bytes}` },
          { type: "text", text: `I say ${bytes} now.` },
          { type: "tool_use", name: "read_file", input: { path: "f.txt" } },
          { type: "tool_use", name: "read_file", input: { path: bytes } },
          { type: "tool_use", name: "glob", input: { pattern: "n*" } },
          { type: "tool_use", name: "grep", input: { pattern: `(${bytes}` } },
        ]),
        text(`The answer ${bytes} is this.`),
      ],
      options: { goal: `do it ${bytes}` },
    });
    stage.holds(!INVISIBLE.test(terminal), "invisible characters reached the terminal");
  },
}));

export const TERMINAL_OUTPUT_CASES: readonly ProbeCase[] = family(
  "terminal-output",
  { claim: "honesty", layers: [] },
  [
    ...EVERYWHERE,
    {
      id: "TO-004",
      title: "cuts a sequence between two pieces of the answer",
      run: async (stage) => {
        await stage.run({ script: [text("a\u001b]52;c;AA\u0007b\r\nc\rd", { chunkChars: 1 })] });
      },
    },
    {
      id: "TO-007",
      title: "lets the server's error message control the terminal",
      run: async (stage) => {
        await stage.run({
          script: () => ({ status: 400, message: "no \u001b[2J\u009b2J\r\nerror: forged line" }),
        });
      },
    },
    {
      id: "TO-008",
      title: "writes to the terminal from a tool",
      run: async (stage) => {
        const code =
          "try { require('fs').writeSync(1, '\\u001b[2J'); } catch {} try { require('fs').writeSync(2, '\\u001b[2J'); } catch {} try { require('fs').writeFileSync('/dev/tty', '\\u001b[2J'); } catch {} console.log('\\u001b[2J'); process._rawDebug('\\u001b[2J'); context.log.warn('\\u001b[2J'); return '\\u001b[2J';";
        const { hostile } = stage;
        await stage.run({
          script: [toolUse("hostile", { code }), text("done")],
          options: { tools: [hostile.read] },
        });
      },
    },
  ],
);
