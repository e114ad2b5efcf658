import { plainText } from "./plain-text.ts";

/** One test case. At most one of `failure`, `error` and `skipped`; with none of them it passed. */
export interface JunitCase {
  name: string;
  className: string;
  seconds: number;
  /** What was asserted does not hold. */
  failure?: JunitProblem;
  /** The case itself broke. */
  error?: JunitProblem;
  /** Why it was not run. */
  skipped?: string;
  /** Shown beside the case. */
  output?: string;
  /** The file it is about, where a reader shows one. */
  file?: string;
}

export interface JunitProblem {
  type: string;
  message: string;
  details?: string;
}

export interface JunitSuite {
  name: string;
  cases: readonly JunitCase[];
}

/** A JUnit XML document, in the form that CI servers read. Whatever is in the texts, it is well-formed. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${attributes({ name, ...countsOf(all) })}>`,
    ...suites.flatMap(suiteLines),
    `</testsuites>`,
    "",
  ].join("\n");
}

function suiteLines({ name, cases }: JunitSuite): string[] {
  return [
    `  <testsuite ${attributes({ name, ...countsOf(cases), skipped: count(cases, "skipped") })}>`,
    ...cases.flatMap(caseLines),
    `  </testsuite>`,
  ];
}

function caseLines(test: JunitCase): string[] {
  const { name, className, seconds, failure, error, skipped, output, file } = test;
  const head = attributes({ name, classname: className, time: seconds.toFixed(3), ...(file && { file }) });
  const inner = [
    ...(failure ? [problemLine("failure", failure)] : []),
    ...(error ? [problemLine("error", error)] : []),
    ...(skipped === undefined ? [] : [`      <skipped ${attributes({ message: skipped })}/>`]),
    ...(output ? [`      <system-out>${escaped(output)}</system-out>`] : []),
  ];
  return inner.length === 0
    ? [`    <testcase ${head}/>`]
    : [`    <testcase ${head}>`, ...inner, `    </testcase>`];
}

function problemLine(element: "failure" | "error", { type, message, details = "" }: JunitProblem): string {
  return `      <${element} ${attributes({ type, message })}>${escaped(details)}</${element}>`;
}

function countsOf(cases: readonly JunitCase[]): Record<string, string> {
  const seconds = cases.reduce((sum, test) => sum + test.seconds, 0);
  return {
    tests: String(cases.length),
    failures: count(cases, "failure"),
    errors: count(cases, "error"),
    time: seconds.toFixed(3),
  };
}

function count(cases: readonly JunitCase[], kind: "failure" | "error" | "skipped"): string {
  return String(cases.filter((test) => test[kind] !== undefined).length);
}

function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}="${escaped(value).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join(" ");
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
/** What no XML 1.0 document may hold, however it is written; controls are shown as escapes before. */
const NOT_XML = /[\ufffe\uffff]/g;

function escaped(text: string): string {
  return plainText(text)
    .replace(NOT_XML, "\ufffd")
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
