import type { MemoryWatch } from "./memory-watch.ts";
import type { CallNote, ReadyReply, ToolTask } from "./protocol.ts";

/** Who is told what happens besides the reply. */
export interface CallWatch {
  /** The thread has sent too many messages, and is being ended. */
  onFlood(messages: number): void;
  onNote?(note: CallNote): void;
}

/** Where calls run, one at a time: a sealed thread of this process, or a sealed tool host with threads of its own. */
export interface ToolCell {
  readonly seal: ReadyReply["seal"];
  /** False when its own seal forbids it to take tasks. */
  readonly sealedEnough: boolean;
  readonly sealReason: string | undefined;
  /** False once it can take no call any more. */
  readonly usable: boolean;
  /** Whether it can take a call now; `whenFree` resolves when it can, or never will. */
  readonly free: boolean;
  whenFree(): Promise<void>;
  /** What a call wrote to its own stdout and stderr, cut and cleaned. */
  readonly output: string;
  /** Watches the memory of its own process; without one, the pool's watch counts. */
  readonly memory?: MemoryWatch;
  /**
   * Runs one call. The reply is untrusted. Rejects when the signal aborts and when what runs the call dies; `usable`
   * says whether there can be another.
   */
  run(task: ToolTask, signal: AbortSignal, watch: CallWatch): Promise<unknown>;
  /** Ends it and all that it started. Resolves when they are gone, or after half a second. Never throws. */
  retire(): Promise<void>;
}
