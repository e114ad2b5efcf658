import { createHash } from "node:crypto";
import { LIMITS } from "../../limits.ts";
import type { OpenedFile } from "../../sandbox/guard/workspace.ts";
import { readBytes } from "../text/read-bytes.ts";
import { showCount, showPath } from "../text/show.ts";
import { ToolFailure } from "../tool-body.ts";

/** What a tool writes can be read back whole. */
export const WRITE_MAX_BYTES = LIMITS.readMaxBytes;

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The whole of a file that is to be changed.
 * @throws ToolFailure invalid_input when it is too large
 */
export function readForChange(file: OpenedFile): Uint8Array<ArrayBuffer> {
  const { bytes, complete } = readBytes(file, { maxBytes: WRITE_MAX_BYTES });
  if (complete) return bytes;
  const has = file.size > WRITE_MAX_BYTES ? `has ${showCount(file.size)} bytes` : "grows while it is read";
  throw new ToolFailure(
    "invalid_input",
    `${showPath(file.path)} ${has}; files over ${showCount(WRITE_MAX_BYTES)} bytes are not changed`,
    { bytes_total: file.size },
  );
}

/**
 * A check for the moment before the rename: what is there must still be what the change was made for.
 * @throws ToolFailure invalid_input
 */
export function unlessChanged(
  path: string,
  expected: string | undefined,
): (current: OpenedFile | undefined) => void {
  return (current) => {
    const actual = current && sha256Of(readForChange(current));
    if (actual === expected) return;
    throw changedSinceRead(path, { expected, actual });
  };
}

export function changedSinceRead(
  path: string,
  { expected, actual }: { expected: string | undefined; actual: string | undefined },
): ToolFailure {
  const was = expected === undefined ? "did not exist" : `had sha256 ${expected}`;
  const is = actual === undefined ? "does not exist" : `has sha256 ${actual}`;
  return new ToolFailure(
    "invalid_input",
    `${showPath(path)} changed since it was read: it ${was} and now ${is}; read it again`,
    { sha256: actual ?? null },
  );
}

/** @throws ToolFailure invalid_input */
export function refuseTooLarge(path: string, bytes: number): void {
  if (bytes <= WRITE_MAX_BYTES) return;
  throw new ToolFailure(
    "invalid_input",
    `${showPath(path)} would have ${showCount(bytes)} bytes, limit ${showCount(WRITE_MAX_BYTES)}; nothing was written`,
  );
}

/**
 * Text of the model as bytes. Half of a surrogate pair has no bytes: writing something else instead would be a silent change.
 * @throws ToolFailure invalid_input
 */
export function encodeText(text: string, what: string): Uint8Array<ArrayBuffer> {
  if (/\p{Surrogate}/u.test(text)) {
    throw new ToolFailure("invalid_input", `${what} holds half of a surrogate pair, which is not text`);
  }
  return new TextEncoder().encode(text);
}
