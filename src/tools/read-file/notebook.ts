/** Characters of one output that are worth showing; what is longer is a table or a log. */
const OUTPUT_MAX_CHARS = 2_000;

/**
 * A Jupyter notebook as text: each cell's source and the text of its outputs; pictures are named and not shown.
 * Undefined when the JSON is no notebook.
 */
export function notebookText(json: string): string | undefined {
  const notebook = parse(json);
  const cells = isRecord(notebook) ? notebook["cells"] : undefined;
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell, index) => cellText(cell, index + 1)).join("\n");
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function cellText(cell: unknown, number: number): string {
  if (!isRecord(cell)) return `## cell ${number}\n`;
  const source = ending(joined(cell["source"]));
  const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].map(outputText).join("") : "";
  return `## cell ${number} (${String(cell["cell_type"])})\n${source}${outputs}`;
}

function outputText(output: unknown): string {
  if (!isRecord(output)) return "";
  if (output["output_type"] === "stream") return shown(String(output["name"]), joined(output["text"]));
  if (output["output_type"] === "error") {
    return shown("error", `${String(output["ename"])}: ${String(output["evalue"])}`);
  }
  const data = isRecord(output["data"]) ? output["data"] : {};
  const text = "text/plain" in data ? shown("output", joined(data["text/plain"])) : "";
  const hidden = Object.keys(data).filter((type) => type !== "text/plain");
  return (
    text + hidden.map((type) => `[${type}, ${joined(data[type]).length} characters, not shown]\n`).join("")
  );
}

function shown(label: string, text: string): string {
  if (text === "") return "";
  const cut = text.length > OUTPUT_MAX_CHARS;
  const part = cut ? text.slice(0, OUTPUT_MAX_CHARS) : text;
  return `--- ${label}\n${ending(part)}${cut ? `[${text.length - OUTPUT_MAX_CHARS} more characters]\n` : ""}`;
}

/** Notebooks keep text as one string or as a list of lines. */
function joined(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.filter((line) => typeof line === "string").join("");
  return value === undefined ? "" : JSON.stringify(value);
}

function ending(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
