import type { Spending } from "../budget/budget.ts";
import type { ExecutionContext } from "../context/execution-context.ts";
import type { StampedEvent } from "../events/run-event.ts";
import type { RebuiltRun } from "../log/rebuild.ts";
import { recordedResponse } from "../log/recorded-response.ts";
import { type Carried, carryOn } from "../loop/agent-loop.ts";
import type { BreakPoint } from "../loop/go-on.ts";
import { decideNext, type LoopEnd } from "../loop/stop-reason.ts";
import type { Message, Usage } from "../messages.ts";
import type { ModelResponse } from "../provider/provider.ts";

/** What a run did before it broke off, as far as going on needs it and its context does not hold it. */
export class RunHistory {
  /** In order. */
  readonly spendings: Spending[] = [];
  /** Characters that the step under way has shown of a response that did not become whole. */
  shownChars = 0;
  /** The last request that was answered, and what it cost. */
  lastCost: { messages: readonly Message[]; usage: Usage } | undefined;
  #asked: readonly Message[] = [];
  /** Not yet acted on to the end. */
  #response: ModelResponse | undefined;
  #said = false;
  #carried: Carried = { text: "", continuations: 0 };
  #end: LoopEnd | undefined;
  #sessionStart = 0;
  #sessionLast = 0;
  #earlierMs = 0;

  /** Milliseconds that the run has gone on for, without the time between its parts. */
  get elapsedMs(): number {
    return this.#earlierMs + this.#sessionLast - this.#sessionStart;
  }

  /** Takes the next event, with the context as it is after it. */
  take({ stamp, event }: StampedEvent, context: ExecutionContext): void {
    const at = Date.parse(stamp.ts);
    switch (event.type) {
      case "run.started":
        this.#earlierMs = this.elapsedMs;
        this.#sessionStart = at;
        break;
      case "step.started":
        this.#end = undefined;
        this.spendings.push({ kind: "step" });
        break;
      case "llm.request":
        this.shownChars = 0;
        this.#asked = [...context.messages];
        this.spendings.push({ kind: "request", messages: this.#asked });
        break;
      case "llm.token":
        this.shownChars += event.text.length;
        break;
      case "llm.withdrawn":
        this.shownChars = 0;
        break;
      case "llm.response":
        this.shownChars = 0;
        this.#response = recordedResponse(event);
        this.#said = false;
        this.lastCost = { messages: this.#asked, usage: event.usage };
        this.spendings.push({ kind: "response", usage: event.usage });
        break;
      case "context.summarised":
        this.spendings.push({ kind: "response", usage: event.usage });
        break;
      case "tool_call.started":
        // A call that was made again counts once.
        if (event.attempt === undefined) this.spendings.push({ kind: "call", ...event });
        break;
      case "tool_call.finished":
        this.spendings.push({ kind: "result", bytesShown: event.bytes_shown });
        break;
      case "user.text":
        this.#takeText();
        break;
      case "step.finished":
        this.#finishStep(event.status === "ok");
        break;
      default: // says nothing that matters here
    }
    this.#sessionLast = at;
  }

  /** Where the run goes on. */
  breakPoint({ openStep, answered, open }: RebuiltRun): BreakPoint {
    return {
      openStep,
      answered,
      open,
      response: openStep === undefined ? undefined : this.#response,
      end: this.#end,
      carried: this.#carried,
      said: this.#said,
    };
  }

  /** Said by the runtime after a response; or by the user, who wants the run to go on whatever its end was. */
  #takeText(): void {
    if (this.#response) this.#said = true;
    else {
      this.#end = undefined;
      this.#carried = { text: "", continuations: 0 };
    }
  }

  #finishStep(ok: boolean): void {
    const response = this.#response;
    this.#response = undefined;
    this.shownChars = 0;
    if (!response) return;
    const next = decideNext(response, this.#carried.continuations);
    if (next.kind !== "end") this.#carried = carryOn(this.#carried, response, next);
    else if (ok) this.#end = next.end;
  }
}
