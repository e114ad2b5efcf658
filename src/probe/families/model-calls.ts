import { text, toolUse, turn } from "../../testing/reply.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { type AttackedRun, finished } from "../run-attack.ts";
import type { Stage } from "../stage.ts";

/** The API's rule for the name of a tool use in a conversation. */
const SENDABLE = /^[a-zA-Z0-9_-]{1,200}$/;

/** One call by the model, in a run that must come to its normal end; the errors that it may have. */
function calls(
  id: string,
  title: string,
  tool: string,
  input: unknown,
  errors: readonly (string | null)[],
  more: Partial<CaseRow> = {},
): CaseRow {
  return {
    id,
    title,
    ...more,
    run: async (stage) => {
      const run = await stage.run({
        script: ({ index }) => (index === 0 || !SENDABLE.test(tool) ? toolUse(tool, input) : text("done")),
      });
      // What could not be sent back to the model in the next request is no call; it is asked again, and that is the end.
      const sendable = SENDABLE.test(tool);
      const end = sendable ? "success" : "error_malformed_tool_use";
      stage.holds(run.result.subtype === end, `the run ended with ${run.result.subtype}`);
      if (!sendable) return stage.holds(finished(run).length === 0, "it was called");
      const types = finished(run).map(({ error_type }) => error_type as string | null);
      stage.holds(
        types.length === 1 && errors.includes(types[0] ?? null),
        `the call came to ${JSON.stringify(types)}`,
      );
    },
  };
}

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "../../evil.js",
  "./evil",
  "node:child_process",
  "data:text/javascript,1",
  "READ_FILE",
  "read_file ",
  "read\u200b_file",
  "read_file\u0000",
  "x".repeat(5_000),
];

export const TOOL_NAME_CASES: readonly ProbeCase[] = family("tool-name", { claim: "integrity", layers: [] }, [
  calls("TN-001", "calls a tool that there is not", "nope", {}, ["unknown_tool"]),
  ...NAMES.map((name, index) =>
    calls(
      `TN-00${index < 5 ? "2" : "4"}${String.fromCharCode(97 + index)}`,
      `calls a tool named ${JSON.stringify(name.slice(0, 30))}`,
      name,
      { path: "ok.txt" },
      ["unknown_tool"],
    ),
  ),
  {
    id: "TN-005",
    title: "brings a tool that has a built-in tool's name",
    run: async (stage) => {
      const { hostile } = stage;
      const tool = Object.assign(Object.create(hostile.read) as typeof hostile.read, { name: "read_file" });
      let refused = false;
      try {
        await stage.call(tool, { code: "return 'ESCAPED';" });
      } catch {
        refused = true;
      }
      stage.holds(refused, "two tools have one name");
    },
  },
]);

const JSON_INPUTS: readonly [string, string, unknown, readonly (string | null)[]][] = [
  [
    "JS-001",
    "adds options of fs",
    { path: "ok.txt", mode: "w", encoding: "x", flag: "w" },
    ["invalid_input"],
  ],
  ["JS-002", "gives a number as a path", { path: 3 }, ["invalid_input"]],
  ["JS-002b", "gives a list as a path", { path: ["../outside/secret.txt"] }, ["invalid_input"]],
  ["JS-002c", "gives nothing as a path", { path: null }, ["invalid_input"]],
  ["JS-004", "gives a buffer as a path", { path: { type: "Buffer", data: [46, 46, 47] } }, ["invalid_input"]],
  [
    "JS-004b",
    "gives a URL's parts as a path",
    { path: { href: "file:///etc/passwd", protocol: "file:" } },
    ["invalid_input"],
  ],
  ["JS-010a", "asks for line -1", { path: "ok.txt", offset: -1 }, ["invalid_input"]],
  ["JS-010b", "asks for half a line", { path: "ok.txt", offset: 0.5 }, ["invalid_input"]],
  [
    "JS-010c",
    "asks for more bytes than there may be",
    { path: "ok.txt", max_bytes: 1e15 },
    ["invalid_input"],
  ],
  [
    "JS-010d",
    "asks for line 2^53",
    { path: "ok.txt", offset: 2 ** 53 },
    ["invalid_input", "not_found", null],
  ],
  ["JS-010e", "gives a number as a text", { path: "ok.txt", offset: "10" }, ["invalid_input"]],
  [
    "JS-010f",
    "asks for 10,000 parts",
    { path: "ok.txt", ranges: Array.from({ length: 10_000 }, () => ({ offset: 1, limit: 1 })) },
    ["invalid_input"],
  ],
];

/** Input as the model's own text, so that it is read by the parser of the stream. */
function rawInput(
  id: string,
  title: string,
  json: string,
  check: (run: AttackedRun, stage: Stage) => void,
): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      const block = { type: "tool_use", name: "read_file", json } as const;
      const run = await stage.run({
        script: [
          turn([block], { chunkChars: 100_000 }),
          turn([block], { chunkChars: 100_000 }),
          text("done"),
          text("done"),
        ],
        provider: { maxRetries: 1 },
      });
      check(run, stage);
      stage.holds(!("isAdmin" in {}), "the prototype of all objects was changed");
    },
  };
}

export const JSON_SCHEMA_CASES: readonly ProbeCase[] = family(
  "json-schema",
  { claim: "integrity", layers: [] },
  [
    ...JSON_INPUTS.map(([id, title, input, errors]) => calls(id, title, "read_file", input, errors)),
    rawInput(
      "JS-005",
      "has the key __proto__",
      '{"path":"ok.txt","__proto__":{"isAdmin":true}}',
      (run, stage) => {
        const [first] = finished(run);
        stage.holds(
          first === undefined || ["invalid_input", null].includes(first["error_type"] as string | null),
          "it came to something else",
        );
      },
    ),
    rawInput(
      "JS-007",
      "has one key twice, the second leading out",
      '{"path":"ok.txt","path":"../outside/secret.txt"}',
      (run, stage) => {
        const types = finished(run).map(({ error_type }) => error_type);
        stage.holds(
          types.every((type) => type === "permission_error"),
          `it came to ${JSON.stringify(types)}`,
        );
      },
    ),
    rawInput(
      "JS-008",
      "nests 5,000 levels",
      `${'{"path":'.repeat(5_000)}1${"}".repeat(5_000)}`,
      (run, stage) => {
        stage.holds(
          finished(run).every(({ error_type }) => error_type === "invalid_input"),
          "it was not refused",
        );
      },
    ),
    rawInput("JS-008b", "has a number beyond all range", '{"path":"ok.txt","offset":1e400}', (run, stage) => {
      stage.holds(
        finished(run).every(({ error_type }) => error_type === "invalid_input"),
        "it was not refused",
      );
    }),
    {
      id: "JS-012",
      title: "brings a schema whose pattern backtracks",
      claim: "availability",
      run: async (stage) => {
        const tool = Object.assign(Object.create(stage.hostile.read) as typeof stage.hostile.read, {
          inputSchema: { type: "object", properties: { q: { type: "string", pattern: "^(a+)+$" } } },
        });
        const startedAt = performance.now();
        stage.expects(await stage.call(tool, { q: `${"a".repeat(50_000)}!` }), ["invalid_input"]);
        stage.holds(performance.now() - startedAt < 1_000, "the main thread was held up");
      },
    },
  ],
);
