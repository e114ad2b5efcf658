import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RuiZNError } from "../../errors.ts";

const JAVASCRIPT = [".mjs", ".js", ".cjs"];
const TYPESCRIPT = [".ts", ".mts"];
const SOURCE_MAX_BYTES = 4_194_304;

/** A tool's module in a form that Node loads. */
export interface ToolSource {
  /** The file that the user named. */
  file: string;
  /** file: URL. */
  module: string;
  /** Removes what was made to load it. */
  close(): void;
}

/**
 * TypeScript is stripped of its types into a folder of its own, outside of the workspace: nothing is written beside it.
 * @throws RuiZNError tool_invalid
 */
export async function openToolSource(file: string): Promise<ToolSource> {
  const kind = extname(file);
  const isTypeScript = TYPESCRIPT.includes(kind);
  if (!isTypeScript && !JAVASCRIPT.includes(kind))
    throw toolInvalid(file, `is no module (${[...JAVASCRIPT, ...TYPESCRIPT].join(", ")})`);
  const path = realFile(file);
  if (!isTypeScript) return { file, module: pathToFileURL(path).href, close() {} };
  const code = await stripped(file, path);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-tool-")));
  const target = join(folder, "tool.mjs");
  writeFileSync(target, code);
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  return { file, module: pathToFileURL(target).href, close };
}

export function toolInvalid(file: string, why: string, hint?: string): RuiZNError {
  return new RuiZNError("tool_invalid", `tool ${file} ${why}`, hint === undefined ? {} : { hint });
}

function realFile(file: string): string {
  try {
    const path = realpathSync(file);
    const stat = statSync(path);
    if (!stat.isFile()) throw toolInvalid(file, "is not a regular file");
    if (stat.size > SOURCE_MAX_BYTES)
      throw toolInvalid(file, `has ${stat.size} bytes, limit ${SOURCE_MAX_BYTES}`);
    return path;
  } catch (error) {
    if (error instanceof RuiZNError) throw error;
    throw toolInvalid(file, `can't be read (${(error as NodeJS.ErrnoException).code ?? "no reason given"})`);
  }
}

const RELATIVE_IMPORT = /^\s*(?:import|export)\b[^;"']*?["'](\.{1,2}\/[^"']*)["']/m;

async function stripped(file: string, path: string): Promise<string> {
  const { transform } = await import("sucrase");
  let code: string;
  try {
    const options = { transforms: ["typescript" as const], disableESTransforms: true, filePath: file };
    ({ code } = transform(readFileSync(path, "utf8"), options));
  } catch (error) {
    throw toolInvalid(file, `can't be read as TypeScript: ${error instanceof Error ? error.message : ""}`);
  }
  const relative = RELATIVE_IMPORT.exec(code)?.[1];
  if (relative === undefined) return code;
  throw toolInvalid(
    file,
    `imports ${relative}: a tool in TypeScript is one file`,
    "bundle it, or write it in JavaScript",
  );
}
