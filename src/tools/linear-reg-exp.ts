import { createRequire } from "node:module";
import type * as Re2js from "re2js";

/**
 * A pattern on RE2: neither a hostile schema nor a hostile value can stall the main thread. RE2JS is half a megabyte
 * that only a schema with a pattern needs. Ajv tells compiled patterns apart by `toString`: two that say the same are
 * taken for one.
 */
export function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  let compiled: Re2js.RE2JS | undefined;
  return {
    test: (text) => {
      compiled ??= re2js().RE2JS.compile(pattern);
      return compiled.matcher(text).find();
    },
    toString: () => pattern,
  };
}

/** @throws Error when it is not a pattern of RE2. */
export function checkedRegExp(pattern: string): ReturnType<typeof linearRegExp> {
  re2js().RE2JS.compile(pattern);
  return linearRegExp(pattern);
}

function re2js(): typeof Re2js {
  return createRequire(import.meta.url)("re2js") as typeof Re2js;
}
