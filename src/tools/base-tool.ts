import type { FromSchema, JSONSchema } from "json-schema-to-ts";

/** What a call may touch, as the kernel seal and the guard enforce it. */
export type ToolProfile = "read" | "write" | "shell";

/** Model Context Protocol's words for what a tool does to the world. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
}

/** A path that a call's input names, so that the main thread can judge it before any worker does. */
export interface PathUse {
  path: string;
  access: "read" | "write";
}

/**
 * A tool as the main thread knows it: it describes the tool and never runs it. The body is named by `body` (one of
 * the built-in bodies of the worker file) or lies in the module that `module` points to (a file: URL whose default
 * export is a ToolBody).
 */
export abstract class BaseTool<Schema extends JSONSchema = JSONSchema> {
  /** Unique, and of the API's pattern `^[a-zA-Z0-9_-]{1,128}$`. */
  abstract readonly name: string;
  /** For the model: what it does, when to use it, what comes back. */
  abstract readonly description: string;
  /** JSON Schema of the input: an object, closed with `additionalProperties: false`. */
  abstract readonly inputSchema: Schema;
  abstract readonly annotations: ToolAnnotations;
  abstract readonly profile: ToolProfile;
  /** Name of a built-in body; undefined for a tool that lives in a module. */
  readonly body: string | undefined;
  readonly module: string | undefined;
  /** Milliseconds for one call, queueing included; undefined takes the run's default (10 s). */
  readonly timeoutMs: number | undefined;

  /** The paths that this input names. Called after validation; must not throw. */
  paths(_input: FromSchema<Schema>): PathUse[] {
    return [];
  }
}

/** The input type of a tool, taken from its schema. */
export type InputOf<Tool> = Tool extends BaseTool<infer Schema> ? FromSchema<Schema> : never;
