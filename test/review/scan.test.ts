import { expect, it } from "vitest";
import { LineSet } from "../../src/review/line-set.ts";
import { loadRules, scan } from "../../src/review/scan.ts";
import { SCAN_RULES, type ScanRule } from "../../src/review/scan-rules.ts";

const TOKEN = ["ghp", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"].join("_");

function file(path: string, text: string, ranges?: [number, number][]) {
  const lines = text.split("\n");
  return { path, text, lines, inScope: LineSet.of(ranges ?? [[1, lines.length]]) };
}

it("every rule does with its examples what they say, and each has both kinds", async () => {
  expect((await loadRules()).length).toBe(SCAN_RULES.length);
  expect(SCAN_RULES.filter(({ match, notMatch }) => match.length === 0 || notMatch.length === 0)).toEqual([]);
});

it("a rule that does not match its example, or matches its counterexample, is not loaded", async () => {
  const [rule] = SCAN_RULES as [ScanRule];
  await expect(loadRules([{ ...rule, match: ["nothing"] }])).rejects.toThrow(
    `rule ${rule.id} does not match its example: nothing`,
  );
  await expect(loadRules([{ ...rule, notMatch: ["eval(x)"] }])).rejects.toThrow(
    `rule ${rule.id} matches its counterexample: eval(x)`,
  );
});

it("finds a secret by line and column in UTF-16 units, and shows it nowhere", async () => {
  const findings = await scan([file("a.txt", `first\n"😀" token=${TOKEN};\n`)]);
  expect(findings).toMatchObject([
    {
      rule: "secret/github-token",
      line: 2,
      columns: { start: 12 },
      evidence: '"😀" token=[redacted:github-token];',
    },
  ]);
  expect(JSON.stringify(findings)).not.toContain(TOKEN);
});

it("looks only at lines under review", async () => {
  const text = `eval(a)\neval(b)\n${TOKEN}`;
  const findings = await scan([file("a.js", text, [[2, 2]])]);
  expect(findings.map(({ line }) => line)).toEqual([2]);
});

it("gives a finding the same fingerprint when lines move, and equal lines one each", async () => {
  const before = await scan([file("a.js", "eval(a)\neval(a)\neval(b)")]);
  const after = await scan([file("a.js", "\n\n  eval(a)\n\neval(a)\neval(b)")]);
  expect(after.map(({ fingerprint }) => fingerprint)).toEqual(before.map(({ fingerprint }) => fingerprint));
  expect(new Set(before.map(({ fingerprint }) => fingerprint)).size).toBe(3);
});
