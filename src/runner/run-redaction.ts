import { RuiZNError } from "../errors.ts";
import type { RunEvent } from "../events/run-event.ts";
import { redactEvent } from "../redaction/redact-event.ts";
import { Redactor, type Secret } from "../redaction/redactor.ts";
import { asRunError, type RunEnd } from "./run-end.ts";

/** A run's redactor, and what a canary does to the run. */
export class RunRedaction {
  readonly redactor: Redactor;
  readonly #canary = new AbortController();

  /** @throws RuiZNError settings_invalid */
  constructor(options: { secrets?: readonly Secret[]; canaries?: readonly string[] }) {
    const { secrets = [], canaries = [] } = options;
    const onCanary = (number: number): void =>
      this.#canary.abort(
        new RuiZNError("canary_seen", `canary ${number} of ${canaries.length} has turned up in the run`, {
          hint: `the run's log has [redacted:canary-${number}] where it stood`,
        }),
      );
    this.redactor = new Redactor({ secrets, canaries, onCanary });
  }

  /** Aborted as soon as a canary has turned up. */
  get signal(): AbortSignal {
    return this.#canary.signal;
  }

  readonly event = (event: RunEvent): RunEvent => redactEvent(this.redactor, event);

  /** How the run ended, without secrets; a canary that turned up too late to stop it makes it fail all the same. */
  end(end: RunEnd): RunEnd {
    const clean = this.redactor.value(end);
    if (!this.signal.aborted || clean.errors.length > 0) return clean;
    return { ...clean, reason: "canary_seen", errors: [asRunError(this.signal.reason as RuiZNError)] };
  }
}
