import type { ModelResponse, StreamSink } from "../provider.ts";
import type { AnthropicSettings } from "./anthropic-options.ts";
import { apiFailure } from "./api-failure.ts";
import { type Failure, oneLine, streamBroken, TWICE } from "./failure.ts";
import type { HttpFetch } from "./http-fetch.ts";
import { LiveCall } from "./live-call.ts";
import { networkFailure } from "./network-failure.ts";
import { ResponseAssembler, type StreamProblem } from "./response-assembler.ts";
import type * as SdkModule from "./sdk.ts";

export interface Try {
  settings: AnthropicSettings;
  fetch: HttpFetch;
  /** The request as JSON. */
  body: string;
  sink: StreamSink;
  signal: AbortSignal;
}

export type Outcome = { response: ModelResponse } | { failure: Failure; shown: boolean };

type Sdk = typeof SdkModule;

/** Asks the server once. Throws only what the sink throws. */
export async function tryOnce({ settings, fetch, body, sink, signal }: Try): Promise<Outcome> {
  const sdk = await import("./sdk.ts");
  const call = new LiveCall(settings, signal);
  const assembler = new ResponseAssembler(sink);
  try {
    const events = sdk.sdkEvents({ settings, fetch, body, signal: call.signal, onBytes: call.onBytes });
    const failure = await readEvents(events, { assembler, call, sdk, settings });
    if (failure) return { failure, shown: assembler.shown };
    const end = assembler.finish();
    if ("kind" in end) return { failure: problemFailure(end, settings), shown: assembler.shown };
    const model = end.response.model || settings.model;
    return { response: { ...end.response, model, timeToFirstTokenMs: Math.round(call.firstByteMs) } };
  } finally {
    call.close();
  }
}

interface Reading {
  assembler: ResponseAssembler;
  call: LiveCall;
  sdk: Sdk;
  settings: AnthropicSettings;
}

/** Reads to the end of the stream; gives what has gone wrong, if anything has. */
async function readEvents(
  events: ReturnType<Sdk["sdkEvents"]>,
  { assembler, call, sdk, settings }: Reading,
): Promise<Failure | undefined> {
  for (;;) {
    let step: Awaited<ReturnType<typeof events.next>>;
    try {
      step = await events.next();
    } catch (error) {
      // Once the response is whole, how the connection ends does not matter.
      return assembler.stopped ? undefined : thrownFailure(error, { call, sdk, settings });
    }
    if (step.done) return undefined;
    const problem = assembler.take(step.value);
    if (problem) return problemFailure(problem, settings);
    if (assembler.stopped) call.closing();
  }
}

function thrownFailure(error: unknown, { call, sdk, settings }: Omit<Reading, "assembler">): Failure {
  const { host } = settings;
  if (call.silentMs !== undefined) return silence(call.silentMs, { answered: call.answered, host });
  const problem = sdk.apiProblem(error);
  if (problem) return apiFailure(problem, settings);
  if (!call.answered) return networkFailure(error, host);
  const why = error instanceof Error ? error.message : String(error);
  return streamBroken(`the response of ${host} broke off: ${oneLine(why)}`, error);
}

function silence(ms: number, { answered, host }: { answered: boolean; host: string }): Failure {
  const seconds = `${ms / 1_000} s`;
  return answered
    ? streamBroken(`the response of ${host} went silent for ${seconds}`)
    : {
        code: "network_error",
        message: `${host} did not begin to answer within ${seconds}`,
        hint: "for a slow server raise the first byte timeout",
        retries: TWICE,
      };
}

function problemFailure(problem: StreamProblem, settings: AnthropicSettings): Failure {
  switch (problem.kind) {
    case "api":
      return apiFailure(problem.problem, settings);
    case "broken":
      return streamBroken(`the response of ${settings.host} is broken: ${problem.why}`);
    case "foreign":
      return {
        code: "stream_broken",
        message: `the answer of ${settings.host} is no stream of the Messages API`,
        hint: "check ANTHROPIC_BASE_URL",
        retries: TWICE,
      };
    case "malformed":
      return {
        code: "malformed_tool_use",
        message: `${settings.model} has written a tool use that cannot be read: ${oneLine(problem.why)}`,
        retries: TWICE,
      };
  }
}
