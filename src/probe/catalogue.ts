import type { ProbeCase } from "./case.ts";
import { PATH_CASES } from "./families/paths.ts";
import { PATH_TOOL_CASES } from "./families/path-tools.ts";

/** Every attack there is, in order of family. */
export const CATALOGUE: readonly ProbeCase[] = [...PATH_CASES, ...PATH_TOOL_CASES];
