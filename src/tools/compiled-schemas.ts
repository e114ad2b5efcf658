import type { SchemaCheck } from "./schema-check.ts";

/**
 * Checks that the build has compiled from our own schemas (scripts/compile-schemas.mjs puts them in this file's place),
 * by schema key: ajv itself takes longer to load than everything else a run loads. Empty when it runs from source.
 */
export const COMPILED_SCHEMAS: Readonly<Record<string, SchemaCheck>> = {};
