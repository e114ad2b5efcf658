// A run of thirty steps that reads, searches and writes, and the workspace that it works on. What is written is there
// before and replaced as a whole, so that a write that is made twice says the same twice.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const LAST_STEP = 30;
const KB = 1_024;

const line = (n) => `line ${n}: the harbour keeps ships in a queue and none is lost\n`;
const text = (lines, from = 0) => Array.from({ length: lines }, (_, i) => line(from + i)).join("");

export function fillWorkspace(folder) {
  mkdirSync(join(folder, "docs"));
  mkdirSync(join(folder, "out"));
  for (let n = 1; n <= 6; n++) writeFileSync(join(folder, "docs", `${n}.md`), text(40 * n, n));
  for (let n = 1; n <= LAST_STEP; n++) writeFileSync(join(folder, "out", `${n}.txt`), "before\n");
}

export function scriptedTurn(step) {
  const use = (at, name, input) => ({ type: "tool_use", id: `toolu_${step}_${at}`, name, input });
  const read = (at, path) => use(at, "read_file", { path });
  const write = (at, content) => use(at, "write_file", { path: `out/${step}.txt`, content, overwrite: true });
  if (step >= LAST_STEP) {
    return {
      content: [{ type: "text", text: `All ${LAST_STEP} steps are done. ${text(20)}` }],
      eventDelayMs: 2,
    };
  }
  switch (step % 5) {
    case 0:
      return {
        content: [
          { type: "thinking", thinking: `Step ${step}: look first.` },
          { type: "text", text: "I look around, at several things at once." },
          read(0, `docs/${1 + (step % 6)}.md`),
          use(1, "grep", { pattern: `line ${step}:`, path: "docs" }),
          use(2, "list_dir", { path: "docs" }),
          read(3, "docs/none.md"),
        ],
        eventDelayMs: 1,
      };
    case 1:
      return { content: [write(0, text(10, step))] };
    case 2:
      return { content: [read(0, `out/${step - 1}.txt`), use(1, "glob", { pattern: "docs/*.md" })] };
    case 3:
      return {
        content: [
          { type: "text", text: `I write ${text(4, step)}` },
          write(0, text(30, step)),
          read(1, `docs/${1 + (step % 6)}.md`),
        ],
        eventDelayMs: 2,
      };
    default:
      return { content: [write(0, "x".repeat(100 * KB + step))], chunkChars: 20 * KB };
  }
}
