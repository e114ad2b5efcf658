/** What `ruizn tools new` writes: a tool that works, and a test of it that needs nothing but Node. */
export function toolTemplate(name: string): string {
  return `/** @type {import("ruizn/tool").ToolDefinition} */
export default {
  name: ${JSON.stringify(name)},
  description: "Counts lines and words of a text file in the workspace. Returns both numbers.",
  inputSchema: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: {
      path: { type: "string", minLength: 1, description: "File to count in, relative to the workspace." },
    },
  },
  permissions: { workspace: "read" },

  invoke({ path }, { workspace, progress }) {
    const text = workspace.readText(path);
    progress(\`\${path} is read\`, 0.5);
    const lines = text === "" ? 0 : text.replace(/\\n$/, "").split("\\n").length;
    const words = text.split(/\\s+/).filter(Boolean).length;
    return { content: \`\${lines} lines, \${words} words\`, data: { lines, words } };
  },
};
`;
}

export function toolTestTemplate(file: string): string {
  return `// node --test ${testFileOf(file)}
import assert from "node:assert/strict";
import { test } from "node:test";
import tool from "./${file}";

/** A workspace of these files; RuiZN hands the tool one that is guarded. */
function contextOf(files) {
  return {
    workspace: { readText: (path) => files[path] },
    log: { info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    progress() {},
  };
}

test("counts lines and words", async () => {
  const result = await tool.invoke({ path: "a.txt" }, contextOf({ "a.txt": "one two\\nthree\\n" }));
  assert.deepEqual(result, { content: "2 lines, 3 words", data: { lines: 2, words: 3 } });
});
`;
}

export function testFileOf(file: string): string {
  return file.replace(/\.mjs$/, ".test.mjs");
}
