import { LineSet } from "./line-set.ts";
import type { Coverage } from "./report.ts";
import type { ReviewedFile } from "./reviewed-files.ts";

/** What of the code under review a model was shown. @param read lines by path, as a run's log has them */
export function coverageOf(
  files: readonly ReviewedFile[],
  read: ReadonlyMap<string, LineSet> = new Map(),
): Coverage {
  const none = LineSet.of([]);
  const rows = files.map(({ path, inScope }) => {
    const lines = inScope.and(read.get(path) ?? none).size;
    return { path, of: inScope.size, lines };
  });
  const sum = (key: "of" | "lines") => rows.reduce((total, row) => total + row[key], 0);
  const unopened = rows.filter(({ of, lines }) => of > 0 && lines === 0).map(({ path }) => path);
  const linesInScope = sum("of");
  return {
    filesInScope: files.length,
    filesOpened: files.filter(({ path }) => read.has(path)).length,
    linesInScope,
    linesRead: sum("lines"),
    share: linesInScope === 0 ? 1 : sum("lines") / linesInScope,
    unopened,
  };
}
