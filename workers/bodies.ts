import type { ToolBody } from "../src/tools/tool-body.ts";

/** The built-in bodies, by the name that a tool's `body` gives. All are part of the one worker file. */
export const BODIES: ReadonlyMap<string, ToolBody> = new Map<string, ToolBody>([]);
