// The one file that knows the SDK. It is heavy: only ever imported lazily.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { APIConnectionError, APIError } from "@anthropic-ai/sdk/error";
import { Stream } from "@anthropic-ai/sdk/streaming";
import { type AnthropicSettings } from "./anthropic-options.ts";
import { type ApiProblem } from "./api-failure.ts";
import type { HttpFetch } from "./http-fetch.ts";

export interface SdkCall {
  settings: AnthropicSettings;
  fetch: HttpFetch;
  /** The request as JSON text. */
  body: string;
  signal: AbortSignal;
  onBytes: () => void;
}

/** Where the SDK's log lines go: what it has to say comes as errors, and its stdout is not ours to give. */
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };
/** Only a net below the watchdog, which ends silent requests much earlier. */
const SDK_TIMEOUT_MS = 2_000_000_000;

/** Sends one request and gives its server-sent events as they come. Throws the SDK's errors. */
export async function* sdkEvents(call: SdkCall): AsyncGenerator<{ event: string | null; data: string }> {
  const client = newClient(call);
  const response = await client
    .post("/v1/messages", {
      body: call.body,
      headers: { "content-type": "application/json" },
      stream: true,
      signal: call.signal,
    })
    .asResponse();
  yield* Stream.rawEvents(response);
}

/** What an error of `sdkEvents` is: an answer of the API, or undefined for trouble on the way. */
export function apiProblem(error: unknown): ApiProblem | undefined {
  if (!(error instanceof APIError) || error instanceof APIConnectionError || error.status === undefined) {
    return undefined;
  }
  return {
    status: error.status,
    type: error.type ?? undefined,
    message: error.apiMessage ?? messageOf(error.error),
    headers: error.headers,
  };
}

/** Everything is said in full, so that the SDK looks for nothing in the environment or in profile files. */
function newClient({ settings, fetch, onBytes }: SdkCall): BaseAnthropic {
  const { credential } = settings;
  return new BaseAnthropic({
    apiKey: credential?.kind === "authToken" ? null : (credential?.value ?? ""),
    authToken: credential?.kind === "authToken" ? credential.value : null,
    webhookKey: null,
    baseURL: settings.baseUrl,
    timeout: SDK_TIMEOUT_MS,
    maxRetries: 0,
    logLevel: "off",
    logger: SILENT,
    openTelemetry: false,
    // As much of a Response as the SDK looks at.
    fetch: (input, init) => fetch(input, init, onBytes) as Promise<unknown> as Promise<Response>,
    // A server that wants no credential is sent none.
    ...(credential ? {} : { defaultHeaders: { authorization: null } }),
  });
}

/** Gateways and local servers have their own shapes of error body. */
function messageOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { error, message, detail } = body as { error?: unknown; message?: unknown; detail?: unknown };
  const text = [error, message, detail].find((value) => typeof value === "string");
  return typeof text === "string" ? text : undefined;
}
