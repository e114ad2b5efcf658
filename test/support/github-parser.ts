import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as Parser from "@actions/workflow-parser";
import type * as ActionParser from "@actions/workflow-parser/actions/index";
import { buildSync } from "esbuild";

/** Bundled, since the package imports JSON in a way that Node refuses. */
const { outputFiles } = buildSync({
  stdin: {
    contents:
      'export * from "@actions/workflow-parser"; export { parseAction } from "@actions/workflow-parser/actions/index";',
    resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
  },
  bundle: true,
  write: false,
  platform: "node",
  format: "cjs",
  logLevel: "error",
});
const loaded: { exports: unknown } = { exports: {} };
// oxlint-disable-next-line no-new-func, no-implied-eval -- the bundle of a pinned package
new Function("module", "exports", "require", outputFiles[0]?.text ?? "")(
  loaded,
  loaded.exports,
  createRequire(import.meta.url),
);
const { parseAction, parseWorkflow, NoOperationTraceWriter } = loaded.exports as typeof Parser &
  typeof ActionParser;

/** What GitHub's own parser finds wrong with a file, by the schema that it publishes. */
export function githubProblems(kind: "action" | "workflow", content: string): string[] {
  const parse = kind === "action" ? parseAction : parseWorkflow;
  const { context } = parse({ name: `${kind}.yml`, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}
