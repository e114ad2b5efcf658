import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LOG_LINE_MAX_BYTES } from "../../src/events/log-line.ts";
import { LOG_PROBLEM_KINDS } from "../../src/log/log-report.ts";

const docs = readFileSync(new URL("../../docs/log.md", import.meta.url), "utf8");

it("docs/log.md has a row for every kind of problem", () => {
  expect([...docs.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1])).toEqual([...LOG_PROBLEM_KINDS]);
});

it("docs/log.md names the longest line", () => {
  expect(docs).toContain(`(${LOG_LINE_MAX_BYTES.toLocaleString("en")} bytes, line feed included)`);
});
