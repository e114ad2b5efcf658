import fc from "fast-check";
import { expect, test } from "vitest";
import { LogGuard } from "../../../src/cli/ci/log-guard.ts";

/** What a runner would carry out of a log: GitHub's two forms by its parser's rules, and what others look for. */
function commandsIn(log: string): string[] {
  return log
    .split(/\r\n|[\n\r]/)
    .filter((line) => /^[\s\p{C}]*::/u.test(line) || /##\w*\[/.test(line) || /[\u001b\u009b]/.test(line));
}

function guarded(pieces: readonly string[], json = false): string {
  const guard = new LogGuard({ json });
  return pieces.map((piece) => guard.push(piece)).join("");
}

const HOSTILE = [
  "::error file=a,line=1::x\n",
  "  \t::set-output name=a::b\n",
  "\ufeff::add-mask::x\n",
  "text\r::stop-commands::t\n",
  "mid ##[group]x\n",
  "##vso[task.setvariable variable=a]b\n",
  "##teamcity[buildStatus]\n",
  "###[error]x\n",
  "\u001b[0Ksection_start:1:x\r\u001b[0Kforged\n",
];

test.each(HOSTILE)("%j is a command as it is, and none once it is guarded, however it is cut", (text) => {
  expect(commandsIn(text).length).toBeGreaterThan(0);
  for (let at = 0; at <= text.length; at++) {
    expect(commandsIn(guarded([text.slice(0, at), text.slice(at)]))).toEqual([]);
  }
});

test("no text made of such pieces is a command, in any cut", () => {
  const piece = fc.constantFrom(
    ":",
    "::",
    "#",
    "##",
    "[",
    "vso",
    "\n",
    "\r",
    " ",
    "\ufeff",
    "\u200b",
    "\u001b[0K",
    "a",
    "error::",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(commandsIn(guarded(pieces))).toEqual([]);
      expect(commandsIn(guarded([pieces.join("")]))).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

test("what is no command stays as it is", () => {
  const text = "# Title\n## std::vector [x](y)\na::b: c\n: :\n#[derive(Debug)]\n";
  expect(guarded([text])).toBe(text);
});

test("JSON reads back as it was", () => {
  const value = { text: HOSTILE.join("") };
  const line = `${JSON.stringify(value)}\n`;
  const safe = guarded([line.slice(0, 90), line.slice(90)], true);
  expect(commandsIn(safe)).toEqual([]);
  expect(JSON.parse(safe)).toEqual(value);
});
