import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { one } from "../one-call.ts";
import type { Stage } from "../stage.ts";

const SOON = { timeoutMs: 1_500 };

/** A pattern against a file that it should hang on: it must be answered in time, whatever the answer is. */
function pattern(id: string, title: string, regex: string, content: string): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      writeFileSync(join(stage.tree.root, "f"), content);
      const result = await stage.call("grep", { pattern: regex }, SOON);
      stage.expects(result, ["ok", "invalid_input"]);
    },
  };
}

function globbing(id: string, title: string, glob: string, arrange?: (stage: Stage) => void): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      arrange?.(stage);
      stage.expects(await stage.call("glob", { pattern: glob }, SOON), ["ok", "invalid_input"]);
    },
  };
}

const A = `${"a".repeat(60)}b\n`;

/** Folders twelve deep, and at each level three. */
function deepTree({ tree }: Stage): void {
  let folder = tree.root;
  for (let level = 0; level < 12; level++) {
    for (const name of ["x", "y", "z"]) mkdirSync(join(folder, name));
    folder = join(folder, "x");
  }
}

export const REGEX_GLOB_CASES: readonly ProbeCase[] = family(
  "regex-glob",
  { claim: "availability", layers: [] },
  [
    pattern("RX-001", "backtracks exponentially", "^(a+)+$", A),
    pattern("RX-001b", "backtracks through alternatives", "^(a|aa)+$", A),
    pattern("RX-001c", "backtracks through a star of a star", "(.*)*x(.*)*y(.*)*z", A.repeat(2_000)),
    pattern("RX-002", "backtracks over 512 KiB", "(x+x+)+y", "x".repeat(524_288)),
    pattern("RX-003", "asks for look-around, which can't be had in linear time", "(?=a)(?!b)a", A),
    pattern("RX-003b", "asks for a back-reference", "(a+)\\1\\1\\1", A),
    pattern("RX-004", "repeats a thousand million times", "a{1000000000}", A),
    pattern("RX-004b", "repeats repeats", "((a{100}){100}){100}", A),
    pattern("RX-004c", "nests 400 groups", `${"(".repeat(400)}a${")".repeat(400)}`, A),
    pattern("RX-004d", "has 500 alternatives", "a|".repeat(499), A),
    pattern("RX-004e", "has classes of all Unicode", "[\\x{0}-\\x{10FFFF}]{1,900}".slice(0, 900), A),
    pattern("RX-006", "is broken", "([a-z", A),
    one("RX-005", "is longer than a pattern may be", {
      tool: "grep",
      input: () => ({ pattern: "a|".repeat(500_000) }),
      outcomes: ["invalid_input"],
    }),
    globbing("RX-007", "counts to a hundred million", "{1..100000000}"),
    globbing("RX-007b", "multiplies braces", "{a,b}".repeat(40)),
    globbing("RX-007c", "nests braces", `${"{a,".repeat(150)}b${"}".repeat(150)}`),
    globbing("RX-008", "chains stars over a deep tree", "**/**/**/**/**/**/**/zzz", deepTree),
    globbing("RX-008b", "backtracks in one name", `${"*a".repeat(60)}b`, ({ tree }) =>
      writeFileSync(join(tree.root, "a".repeat(200)), ""),
    ),
    globbing("RX-008c", "nests extended patterns", `+(${"+(".repeat(30)}a${")".repeat(30)})b`, ({ tree }) =>
      writeFileSync(join(tree.root, "a".repeat(120)), ""),
    ),
    {
      id: "RX-010",
      title: "hides a slash in a class",
      claim: "confidentiality",
      run: async (stage) => {
        mkdirSync(join(stage.tree.root, "secret"));
        writeFileSync(join(stage.tree.root, "secret", "key.pem"), stage.canary);
        const result = await stage.call("glob", { pattern: "secret[+-9]*" });
        const [block] = result.content;
        stage.holds(
          block?.type !== "text" || !block.text.includes("secret/key"),
          "the class matched a slash",
        );
      },
    },
    {
      id: "RX-011",
      title: "is a name that looks like a pattern",
      claim: "honesty",
      run: async (stage) => {
        mkdirSync(join(stage.tree.root, "[WIP] x"));
        writeFileSync(join(stage.tree.root, "[WIP] x", "f"), "wip");
        const result = await stage.call("read_file", { path: "[WIP] x/f" });
        stage.holds(JSON.stringify(result.content).includes("wip"), "the path was taken for a pattern");
      },
    },
    {
      id: "RX-012",
      title: "writes a hostile pattern into .gitignore",
      run: async (stage) => {
        writeFileSync(
          join(stage.tree.root, ".gitignore"),
          `${"*a".repeat(80)}b\n${"**/".repeat(200)}x\n${"[".repeat(2_000)}\n!\n\\\n`,
        );
        writeFileSync(join(stage.tree.root, "a".repeat(200)), "needle");
        stage.expects(await stage.call("grep", { pattern: "needle" }, SOON), ["ok"]);
      },
    },
  ],
);
