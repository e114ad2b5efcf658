import { type AnthropicSettings, variableOf } from "./anthropic-options.ts";
import { AS_SET, type Failure, oneLine } from "./failure.ts";

/** What an error answer of the API, or an error event in its stream, says. */
export interface ApiProblem {
  /** Undefined for an error event: the stream began with 200. */
  status: number | undefined;
  type: string | undefined;
  message: string | undefined;
  headers: Headers | undefined;
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
/** The API has no code for it: these are its own words, and those of llama.cpp, LiteLLM and Ollama. */
const CONTEXT_FULL =
  /prompt is too long|exceed\w* (the )?(available )?context|context (window|length|limit|size)/i;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d/;

/** Puts an API error into this runtime's words. */
export function apiFailure(problem: ApiProblem, settings: AnthropicSettings): Failure {
  const status = problem.status ?? STATUS_OF_TYPE[problem.type ?? ""] ?? 500;
  const said = oneLine(withoutSecret(problem.message ?? problem.type ?? "no reason given", settings));
  const retryAfterMs = retryAfter(problem.headers);
  return {
    ...known(status, said, settings),
    ...retriesOf(status, problem.headers),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function known(status: number, said: string, settings: AnthropicSettings): Omit<Failure, "retries"> {
  const { host, model } = settings;
  switch (status) {
    case 401:
    case 403:
      return {
        code: "auth_failed",
        message: `${host} refused the credential (${status}): ${said}`,
        hint: authHint(settings),
      };
    case 404:
      return /model/i.test(said)
        ? {
            code: "model_not_found",
            message: `${host} has no model ${model}: ${said}`,
            hint: "choose another with --model or ANTHROPIC_MODEL",
          }
        : {
            code: "request_invalid",
            message: `there is no Messages API at ${settings.baseUrl} (404): ${said}`,
            hint: "set ANTHROPIC_BASE_URL to the part of the address before /v1/messages",
          };
    case 400:
    case 413:
    case 422:
      return CONTEXT_FULL.test(said)
        ? { code: "context_exhausted", message: `the conversation is too long for ${model}: ${said}` }
        : { code: "request_invalid", message: `${host} refused the request (${status}): ${said}` };
    case 429:
      return { code: "rate_limited", message: `${host} limits the rate (429): ${said}` };
    case 529:
      return { code: "overloaded", message: `${host} is overloaded (529): ${said}` };
    default:
      return status >= 300 && status < 400
        ? {
            code: "request_invalid",
            message: `${host} redirects elsewhere (${status}), which is not followed`,
            hint: "set ANTHROPIC_BASE_URL to the final address",
          }
        : { code: "api_error", message: `${host} answered with an error (${status}): ${said}` };
  }
}

function authHint({ credential }: AnthropicSettings): string {
  return credential
    ? `check the value of ${variableOf(credential.kind)}`
    : "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN";
}

function retriesOf(status: number, headers: Headers | undefined): { retries: number } {
  const advice = headers?.get("x-should-retry");
  if (advice === "true") return { retries: AS_SET };
  if (advice === "false") return { retries: 0 };
  return { retries: status === 408 || status === 409 || status === 429 || status >= 500 ? AS_SET : 0 };
}

/** Milliseconds; the header holds seconds or a date. */
export function retryAfter(headers: Headers | undefined, now = Date.now()): number | undefined {
  const exact = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = headers?.get("retry-after") ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  // Date.parse alone would find a date in nearly anything.
  const date = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function withoutSecret(text: string, { credential }: AnthropicSettings): string {
  return credential ? text.replaceAll(credential.value, "[redacted]") : text;
}
