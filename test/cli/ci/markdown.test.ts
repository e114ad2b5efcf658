import fc from "fast-check";
import { expect, test } from "vitest";
import { outputLines } from "../../../src/cli/ci/env-file.ts";
import { codeBlock, codeSpan } from "../../../src/cli/ci/markdown.ts";

test("no text ends the block of code that it stands in", () => {
  const text = fc
    .array(fc.constantFrom("`", "```", "`````\n", "\n", "~~~", "# forged\n", " "))
    .map((all) => all.join(""));
  fc.assert(
    fc.property(text, (inner) => {
      const lines = codeBlock(inner).split("\n");
      const fence = /^`+/.exec(lines[0] ?? "")?.[0] ?? "";
      const closing = lines.filter((line) => /^ {0,3}`+ *$/.test(line) && line.trim().length >= fence.length);
      expect(closing).toEqual([fence]);
      expect(lines.slice(-2)).toEqual([fence, ""]);
    }),
  );
});

test("no text ends the span of code that it stands in, nor its line", () => {
  const text = fc.array(fc.constantFrom("`", "``", "\n", "\r", "<b>", " ", "a")).map((all) => all.join(""));
  fc.assert(
    fc.property(text, (inner) => {
      const span = codeSpan(inner);
      const fence = /^`+/.exec(span)?.[0] ?? "";
      expect(span).not.toMatch(/[\n\r]/);
      expect([...span.matchAll(/`+/g)].filter(([run]) => run === fence)).toHaveLength(2);
    }),
  );
});

test("no value ends its own output: the delimiters are new each time", () => {
  const outputs = {
    conclusion: "success" as const,
    exit_code: "0",
    run_id: "r",
    result_file: "",
    findings_count: "",
    sarif_file: "",
    structured_output: '"EOF\\nruizn_\\nexit_code=9"',
  };
  const [one, two] = [outputLines(outputs), outputLines(outputs)].map((text) =>
    [...text.matchAll(/<<(\S+)/g)].map(([, end]) => end),
  );
  expect(new Set([...(one ?? []), ...(two ?? [])]).size).toBe(14);
});
