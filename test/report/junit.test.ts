import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { junitXml } from "../../src/report/junit.ts";
import { junitProblems } from "../support/junit-schema.ts";

describe("a JUnit document", () => {
  it("counts its cases and says what failed, broke and was left out", () => {
    const xml = junitXml("ruizn probe", [
      {
        name: "symlink",
        cases: [
          { name: "SL-001 a link", className: "symlink", seconds: 0.0214 },
          {
            name: "SL-002 <d>",
            className: "symlink",
            seconds: 1,
            failure: { type: "escaped", message: 'showed "x"', details: "line 1\nline 2 ]]>" },
          },
          { name: "SL-003", className: "symlink", seconds: 0, error: { type: "error", message: "broke" } },
          { name: "SL-004", className: "symlink", seconds: 0, skipped: "no Landlock here", output: "a & b" },
        ],
      },
    ]);
    expect(junitProblems(xml)).toEqual([]);
    expect(xml).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="ruizn probe" tests="4" failures="1" errors="1" time="1.021">
        <testsuite name="symlink" tests="4" failures="1" errors="1" time="1.021" skipped="1">
          <testcase name="SL-001 a link" classname="symlink" time="0.021"/>
          <testcase name="SL-002 &lt;d&gt;" classname="symlink" time="1.000">
            <failure type="escaped" message="showed &quot;x&quot;">line 1
      line 2 ]]&gt;</failure>
          </testcase>
          <testcase name="SL-003" classname="symlink" time="0.000">
            <error type="error" message="broke"></error>
          </testcase>
          <testcase name="SL-004" classname="symlink" time="0.000">
            <skipped message="no Landlock here"/>
            <system-out>a &amp; b</system-out>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it("is well-formed whatever the texts are", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (one, two) => {
        const failure = { type: one, message: two, details: one };
        const test = { name: one, className: two, seconds: 0.1, failure, output: two };
        expect(junitProblems(junitXml(one, [{ name: two, cases: [test] }]))).toEqual([]);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it("is found out when it is not one, so that the check can fail", () => {
    const good = junitXml("a", [{ name: "b", cases: [{ name: "c", className: "d", seconds: 1 }] }]);
    for (const bad of [
      good.replace("</testsuite>", ""),
      good.replace('name="c"', ""),
      good.replace("testcase", "testcaze"),
      good.replace('tests="1"', 'tests="2"'),
      good.replace('name="b"', 'name="&b"'),
      good.replace('name="b"', 'name="\u0007"'),
    ]) {
      expect(junitProblems(bad)).not.toEqual([]);
    }
  });
});
