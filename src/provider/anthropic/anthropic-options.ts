import { RuiZNError } from "../../errors.ts";

type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** `adaptive` lets the model decide; a number is a budget in tokens (1,024 at least). */
type Thinking = "off" | "adaptive" | number;

export interface AnthropicOptions {
  model: string;
  /** Of ANTHROPIC_API_KEY. Key and token exclude each other; a server of one's own may need neither. */
  apiKey?: string;
  /** Of ANTHROPIC_AUTH_TOKEN. */
  authToken?: string;
  /** Of any server that speaks the Messages API; default https://api.anthropic.com. */
  baseUrl?: string;
  /** Default: what the model does by itself. */
  thinking?: Thinking;
  effort?: Effort;
  /** How often one response is asked for again, at most; default 6. */
  maxRetries?: number;
  /** The first wait between tries in milliseconds; doubles from try to try up to 30 s. Default 500. */
  retryBaseMs?: number;
  /** The longest `retry-after` that is waited for, in milliseconds; beyond it the run ends. Default 300,000. */
  retryAfterMaxMs?: number;
  /** Milliseconds from the request to the first byte of the response's body; default 60,000. */
  firstByteTimeoutMs?: number;
  /** Milliseconds without a byte after that; default 300,000. */
  idleTimeoutMs?: number;
  /** URL of an HTTP proxy for https servers: what HTTPS_PROXY says. */
  proxy?: string;
  /** Hosts that are reached without it: what NO_PROXY says. */
  noProxy?: string;
}

/** The options with everything decided. */
export interface AnthropicSettings {
  model: string;
  credential: { kind: "apiKey" | "authToken"; value: string } | undefined;
  baseUrl: string;
  /** host:port, for messages. */
  host: string;
  thinking: Thinking | undefined;
  effort: Effort | undefined;
  maxRetries: number;
  retryBaseMs: number;
  retryAfterMaxMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  proxy: string | undefined;
  noProxy: string;
}

export const DEFAULT_BASE_URL = "https://api.anthropic.com";
const MIN_THINKING_BUDGET = 1_024;

/** @throws RuiZNError settings_invalid */
export function settle(options: AnthropicOptions): AnthropicSettings {
  if (options.model.trim() === "") throw new RuiZNError("settings_invalid", "the model's name is empty");
  if (options.apiKey && options.authToken) {
    throw new RuiZNError("settings_invalid", "an API key and an auth token are both given", {
      hint: "keep one of ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN",
    });
  }
  const url = httpUrl("base URL", options.baseUrl || DEFAULT_BASE_URL);
  if (options.proxy) httpUrl("proxy URL", options.proxy);
  if (typeof options.thinking === "number" && !(options.thinking >= MIN_THINKING_BUDGET)) {
    throw new RuiZNError(
      "settings_invalid",
      `the thinking budget is ${options.thinking} tokens, at least ${MIN_THINKING_BUDGET} are needed`,
    );
  }
  return {
    model: options.model,
    credential: credentialOf(options),
    baseUrl: url.href.replace(/\/+$/, ""),
    host: hostOf(url),
    thinking: options.thinking,
    effort: options.effort,
    maxRetries: options.maxRetries ?? 6,
    retryBaseMs: options.retryBaseMs ?? 500,
    retryAfterMaxMs: options.retryAfterMaxMs ?? 300_000,
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 60_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 300_000,
    proxy: options.proxy || undefined,
    noProxy: options.noProxy ?? "",
  };
}

export function hostOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

function credentialOf({ apiKey, authToken }: AnthropicOptions): AnthropicSettings["credential"] {
  const value = apiKey || authToken;
  if (!value) return undefined;
  const kind = apiKey ? "apiKey" : "authToken";
  // Such a value can be no header; said here, because whoever says it later would quote it.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new RuiZNError(
      "auth_failed",
      `the ${variableOf(kind)} holds a space, a line break or a letter outside ASCII`,
      {
        hint: `set ${variableOf(kind)} again, without quotes or line breaks`,
      },
    );
  }
  return { kind, value };
}

export function variableOf(kind: "apiKey" | "authToken"): string {
  return kind === "apiKey" ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
}

function httpUrl(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new RuiZNError("settings_invalid", `the ${what} ${JSON.stringify(text)} is no http or https URL`);
}
