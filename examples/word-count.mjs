// A tool of one's own: ruizn tools call word_count '{"path": "README.md"}' --tool examples/word-count.mjs
/** @type {import("ruizn/tool").ToolDefinition} */
export default {
  name: "word_count",
  description: "Counts the words of a text file in the workspace. Returns the number.",
  inputSchema: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: { path: { type: "string", minLength: 1, description: "File, relative to the workspace." } },
  },
  invoke({ path }, { workspace }) {
    const words = workspace.readText(path).split(/\s+/).filter(Boolean).length;
    return { content: `${words} words`, data: { words } };
  },
};
