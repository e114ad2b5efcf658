import type { CallEnd } from "./call-deadline.ts";

/** Thrown by what runs a call and knows itself how the call ended. */
export class EndedCall extends Error {
  readonly end: CallEnd;

  constructor(end: CallEnd) {
    super(end.message);
    this.end = end;
  }
}
