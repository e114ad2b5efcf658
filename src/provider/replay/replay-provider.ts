import { RuiZNError } from "../../errors.ts";
import { isText, type Message } from "../../messages.ts";
import type { ModelRequest, ModelResponse, Provider, StreamSink } from "../provider.ts";
import { firstDifference, type RequestDifference, shownDifference } from "./request-difference.ts";

/** A request as it was made once, and the response to it. */
export interface RecordedExchange {
  /** Undefined when the log does not say what was asked: the request is taken for the one that was recorded. */
  messages: readonly Message[] | undefined;
  response: ModelResponse;
}

export interface Recording {
  model: string;
  system: string;
  /** Names, in any order. */
  tools: readonly string[];
  exchanges: readonly RecordedExchange[];
}

/** Where a run asked for something else than was recorded; `request` counts from 1. */
export interface Mismatch extends RequestDifference {
  request: number;
}

/** Answers from a recording, and only when the request is the one that was recorded. */
export class ReplayProvider implements Provider {
  readonly name = "replay";
  readonly model: string;
  readonly #recording: Recording;
  #answered = 0;
  #mismatch: Mismatch | undefined;

  constructor(recording: Recording) {
    this.model = recording.model;
    this.#recording = recording;
  }

  /** How many requests were answered. */
  get answered(): number {
    return this.#answered;
  }

  get mismatch(): Mismatch | undefined {
    return this.#mismatch;
  }

  /** @throws RuiZNError replay_mismatch */
  async stream(request: ModelRequest, sink: StreamSink, signal: AbortSignal): Promise<ModelResponse> {
    signal.throwIfAborted();
    const number = this.#answered + 1;
    const { exchanges, system, tools } = this.#recording;
    const exchange = exchanges[this.#answered];
    if (!exchange) {
      throw new RuiZNError(
        "replay_mismatch",
        `request ${number}: the recording ends after ${exchanges.length}`,
      );
    }
    const difference = firstDifference(
      { system, tools: tools.toSorted(), messages: exchange.messages ?? request.messages },
      {
        system: request.system,
        tools: request.tools.map(({ name }) => name).toSorted(),
        messages: request.messages,
      },
    );
    if (difference) {
      this.#mismatch = { request: number, ...difference };
      throw new RuiZNError(
        "replay_mismatch",
        `request ${number} is not the one that was recorded: ${shownDifference(difference)}`,
      );
    }
    this.#answered = number;
    tell(exchange.response, sink);
    return exchange.response;
  }
}

function tell({ content }: ModelResponse, sink: StreamSink): void {
  for (const block of content) {
    if (isText(block)) sink.onText(block.text);
    else if (block.type === "thinking" && "thinking" in block) sink.onThinking(String(block.thinking));
  }
}
