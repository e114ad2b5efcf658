import { RuiZNError, type RunErrorCode } from "../../errors.ts";

/** Why one try has brought no response. A value, because the next try may. */
export interface Failure {
  code: RunErrorCode;
  /** One line, without secrets. */
  message: string;
  hint?: string;
  /** How often it is worth trying again after this failure, within what the settings allow. */
  retries: number;
  /** What the server asks to wait, in milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** For what passes by itself: load, cut connections. */
export const AS_SET = Number.POSITIVE_INFINITY;
/** For what hardly gets better by waiting, such as a refused connection or a model that writes broken JSON. */
export const TWICE = 2;

const MESSAGE_MAX_CHARS = 300;

export function toError(failure: Failure, tries: number): RuiZNError {
  const after = tries > 1 ? ` (${tries} tries)` : "";
  return new RuiZNError(failure.code, `${failure.message}${after}`, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...("cause" in failure ? { cause: failure.cause } : {}),
  });
}

/** Somebody else's text as part of one line of ours. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length > MESSAGE_MAX_CHARS ? `${line.slice(0, MESSAGE_MAX_CHARS)}…` : line;
}

export function streamBroken(message: string, cause?: unknown): Failure {
  return { code: "stream_broken", message, retries: AS_SET, ...(cause === undefined ? {} : { cause }) };
}
