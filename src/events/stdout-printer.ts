import type { Subscriber } from "./event-bus.ts";
import {
  progressLine,
  bounded,
  contextLine,
  inputLine,
  responseLine,
  retryLine,
  toolLine,
  violationLine,
} from "./note-lines.ts";
import type { LlmWithdrawnEvent, RunFinishedEvent, RunStartedEvent, StampedEvent } from "./run-event.ts";
import { shownCount } from "./shown-numbers.ts";
import { terminalLine, terminalText, TerminalTextStream } from "./terminal-text.ts";

/** Where text goes; a write never throws. */
export interface TextSink {
  write(text: string): void;
}

export interface StdoutPrinterOptions {
  /**
   * `transcript`: one screen shows answer and notes as they come. `split`: the answer alone goes to `answer`, when it
   * is known to be the answer; the notes go elsewhere. `notes`: the answer is not printed here at all.
   */
  layout: "transcript" | "split" | "notes";
  answer: TextSink;
  notes: TextSink;
  /** `quiet`: no notes but warnings. `verbose`: also requests, usage and thinking. */
  level: "quiet" | "normal" | "verbose";
  /** Whether the notes may carry ANSI colour. */
  color: boolean;
}

const SGR = { dim: [2, 22], red: [31, 39], yellow: [33, 39], green: [32, 39] } as const;

/** Prints a run for people. Knows whether it stands inside a half-written line, so that no note sticks to one. */
export class StdoutPrinter implements Subscriber {
  readonly name = "stdout-printer";
  readonly #options: StdoutPrinterOptions;
  readonly #text = new TerminalTextStream();
  #inLine = false;
  #thinking = false;
  /** `split` and `notes`: text of the step that is not yet known to be the answer. */
  #pending = "";

  constructor(options: StdoutPrinterOptions) {
    this.#options = options;
  }

  onEvent({ stamp, event }: StampedEvent): void {
    switch (event.type) {
      case "run.started":
        return this.#runStarted(stamp.run_id, event);
      case "run.finished":
        return this.#runFinished(event);
      case "step.started":
        return this.#endLine();
      case "llm.request":
        return this.#note(
          "verbose",
          "llm",
          `request ${event.model} ${shownCount(event.messages, "message")}`,
        );
      case "llm.token":
        return this.#token(event.text);
      case "llm.thinking":
        return this.#thought(event.text);
      case "llm.withdrawn":
        return this.#withdrawn(event);
      case "llm.response":
        return this.#note("verbose", "llm", responseLine(event));
      case "llm.retry":
        return this.#note("normal", "llm", retryLine(event), "yellow");
      case "tool_call.started":
        this.#releasePending();
        return this.#note("normal", "tool", `${terminalLine(event.name)} ${inputLine(event.input)}`);
      case "tool_call.progressed":
        return this.#note(event.level === "info" ? "verbose" : "normal", "tool", progressLine(event));
      case "tool_call.finished":
        return this.#note("normal", "tool", toolLine(event), event.is_error ? "red" : undefined);
      case "budget.warning":
      case "budget.exceeded":
        return this.#note("normal", "budget", `${event.budget} ${event.used} of ${event.limit}`, "yellow");
      case "guard.violation":
        return this.#note("quiet", "guard", violationLine(event), "red");
      case "subscriber.dropped":
        return this.#note("quiet", "run", `${event.subscriber} stopped: ${bounded(event.message)}`, "yellow");
      case "user.text":
        return this.#note("verbose", "run", `to the model: ${bounded(event.text)}`);
      case "context.cleared":
      case "context.summarised":
        return this.#note("normal", "context", contextLine(event));
      case "step.finished":
        return;
      default:
        return event satisfies never;
    }
  }

  #runStarted(runId: string, event: RunStartedEvent): void {
    const from = event.resumed_from;
    this.#note("normal", "run", `${runId} ${from === undefined ? "started" : `goes on after event ${from}`}`);
    this.#note(
      "verbose",
      "run",
      `${event.provider} ${terminalLine(event.model)}, tools: ${event.tools.join(" ")}`,
    );
    const { state, reason } = event.seal;
    if (state === "held") return this.#note("verbose", "run", "seal held");
    this.#note("quiet", "run", `seal ${state}${reason ? `: ${bounded(reason)}` : ""}`, "yellow");
  }

  #runFinished(event: RunFinishedEvent): void {
    if (this.#options.layout === "transcript") this.#endLine();
    else this.#printAnswer(event);
    const status = event.status === "error" ? `error ${event.terminal_reason}` : event.status;
    const line = `${status} ${shownCount(event.steps, "step")} ${(event.duration_ms / 1000).toFixed(1)}s`;
    this.#note("normal", "run", line, event.status === "success" ? "green" : "red");
  }

  /** The model's own text, unaltered: on a pipe it is data. Ends with a line feed, as text files do. */
  #printAnswer(event: RunFinishedEvent): void {
    if (event.result !== this.#pending) this.#releasePending();
    this.#pending = "";
    if (this.#options.layout !== "split" || event.result === "") return;
    this.#options.answer.write(event.result.endsWith("\n") ? event.result : `${event.result}\n`);
  }

  #token(text: string): void {
    if (this.#options.layout !== "transcript") {
      this.#pending += text;
      return;
    }
    if (this.#thinking) this.#endLine();
    this.#stream(this.#text.push(text));
  }

  #thought(text: string): void {
    if (this.#options.level !== "verbose" || this.#options.layout !== "transcript") return;
    if (!this.#thinking) {
      this.#endLine();
      this.#stream(this.#paint("[thinking] ", "dim"));
      this.#thinking = true;
    }
    this.#stream(this.#text.push(text));
  }

  #withdrawn(event: LlmWithdrawnEvent): void {
    this.#pending = "";
    const what =
      this.#options.layout === "transcript"
        ? `the last ${shownCount(event.chars, "character")} above are withdrawn`
        : "a response broke off";
    this.#note("quiet", "llm", `${what}: ${bounded(event.reason)}`, "yellow");
  }

  /** Text that turned out not to be the answer (tool calls follow it) is a note. */
  #releasePending(): void {
    const text = this.#pending;
    this.#pending = "";
    if (text.trim() === "" || this.#options.level === "quiet") return;
    const shown = terminalText(text);
    this.#options.notes.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  #stream(text: string): void {
    if (text === "") return;
    this.#options.answer.write(text);
    this.#inLine = !text.endsWith("\n");
  }

  #endLine(): void {
    this.#stream(this.#text.flush());
    this.#thinking = false;
    if (this.#inLine) this.#options.answer.write("\n");
    this.#inLine = false;
  }

  #note(from: StdoutPrinterOptions["level"], tag: string, line: string, color?: keyof typeof SGR): void {
    const order = ["quiet", "normal", "verbose"];
    if (order.indexOf(from) > order.indexOf(this.#options.level)) return;
    if (this.#options.layout === "transcript") this.#endLine();
    this.#options.notes.write(
      `${this.#paint(`[${tag}]`, "dim")} ${color ? this.#paint(line, color) : line}\n`,
    );
  }

  #paint(text: string, color: keyof typeof SGR): string {
    const [on, off] = SGR[color];
    return this.#options.color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }
}
