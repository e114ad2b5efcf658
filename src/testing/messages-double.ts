import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DoubleRequest, RequestBody } from "./double-request.ts";
import { fitTurn } from "./fit-turn.ts";
import { inputTokens, PromptCache } from "./prompt-cache.ts";
import type { Reply, Script, TurnReply } from "./reply.ts";
import { writeError, writeRaw, writeTurn } from "./reply-writer.ts";
import { requestProblem } from "./request-rules.ts";
import { replyContent, turnEvents, type MessageHead } from "./sse-events.ts";
import { ThinkingMemory } from "./thinking-memory.ts";

export interface MessagesDoubleOptions {
  script: Script;
  /** Keys and tokens that are let in; default: any. */
  keys?: readonly string[];
  /** Models that exist; default: all. */
  models?: readonly string[];
  /** Tokens that input and output of a request may have together; default 200,000. */
  contextWindow?: number;
  /** Shortest prefix that is cached, in tokens; the API's own differ by model. Default 0. */
  minCacheTokens?: number;
  /** Whether the double looks into requests at all. `false` is for servers that take anything. Default true. */
  strict?: boolean;
  /** Of the port to listen on; default: any free one. */
  port?: number;
}

/** A running double. `url` is what `ANTHROPIC_BASE_URL` or `baseUrl` is set to. */
export interface MessagesDouble {
  readonly url: string;
  /** Every request so far, refused ones included, in order of arrival. */
  readonly requests: readonly DoubleRequest[];
  /** Ends all connections, hanging ones included. May be called twice. */
  close(): Promise<void>;
}

interface Refusal {
  status: number;
  type: string;
  message: string;
}

const REQUEST_MAX_BYTES = 32 * 1024 * 1024;
const CONTEXT_WINDOW_TOKENS = 200_000;

/** Starts a loopback server that speaks the Messages API and answers from a script. */
export async function startMessagesDouble(options: MessagesDoubleOptions): Promise<MessagesDouble> {
  const double = new Double(options);
  const server = createServer((request, response) => {
    response.on("error", () => {});
    double.answer(request, response).catch((error: unknown) => {
      // A script that throws is a mistake of the test: say so where the test will see it.
      if (response.headersSent) response.destroy();
      else
        writeError(response, { status: 400, message: `script failed: ${String(error)}`, requestId: "req_0" });
    });
  });
  // Node's five seconds would close a kept connection just when a client, late on a busy machine, uses it again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: double.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Double {
  readonly requests: DoubleRequest[] = [];
  readonly #options: MessagesDoubleOptions;
  readonly #cache: PromptCache;
  readonly #thinking = new ThinkingMemory();
  #accepted = 0;

  constructor(options: MessagesDoubleOptions) {
    this.#options = options;
    this.#cache = new PromptCache(options.minCacheTokens ?? 0);
  }

  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await readBody(incoming);
    if (!raw) return;
    const parsed = parseBody(raw);
    const request: DoubleRequest = {
      index: this.requests.length,
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      raw,
      body: parsed ?? {},
      at: performance.now(),
    };
    this.requests.push(request);
    const requestId = `req_double_${request.index}`;
    const refusal = this.#refusal(request, parsed !== undefined);
    if (refusal) {
      request.refused = refusal;
      writeError(response, { ...refusal, requestId });
      return;
    }
    await this.#play(await this.#nextReply(request), { request, response, requestId });
  }

  async #nextReply(request: DoubleRequest): Promise<Reply> {
    const { script } = this.#options;
    const step = typeof script === "function" ? script : script[this.#accepted];
    this.#accepted++;
    if (step === undefined) {
      return { status: 400, message: `the script has no reply number ${this.#accepted}` };
    }
    return typeof step === "function" ? step(request) : step;
  }

  async #play(
    reply: Reply,
    { request, response, requestId }: { request: DoubleRequest; response: ServerResponse; requestId: string },
  ): Promise<void> {
    if ("hangUp" in reply) response.destroy();
    else if ("raw" in reply) writeRaw(response, reply);
    else if ("status" in reply) writeError(response, { ...reply, requestId });
    else {
      const { fitted, head } = this.#headOf(reply, request);
      this.#thinking.remember(replyContent(fitted, head));
      await writeTurn(response, { reply: fitted, events: turnEvents(fitted, head), requestId });
    }
  }

  #headOf(reply: TurnReply, request: DoubleRequest): { fitted: TurnReply; head: MessageHead } {
    const usage = this.#cache.count(request.body);
    request.inputUsage = usage;
    const room = (this.#options.contextWindow ?? CONTEXT_WINDOW_TOKENS) - inputTokens(request.body);
    const { fitted, tokens } = fitTurn(reply, room);
    const head = { id: `msg_double${request.index}`, model: String(request.body.model) };
    return { fitted, head: { ...head, usage: { ...usage, output_tokens: tokens } } };
  }

  #refusal(request: DoubleRequest, isJson: boolean): Refusal | undefined {
    const { keys, models, strict = true } = this.#options;
    if (!strict) return undefined;
    const path = request.path.split("?")[0];
    if (request.method !== "POST" || path !== "/v1/messages") {
      return refusal(404, "not_found_error", `${request.method} ${path} not found`);
    }
    const key = keyOf(request);
    if (key === undefined) return refusal(401, "authentication_error", "x-api-key header is required");
    if (keys && !keys.includes(key)) return refusal(401, "authentication_error", "invalid x-api-key");
    if (request.raw.length > REQUEST_MAX_BYTES) {
      return refusal(413, "request_too_large", "Request exceeds the maximum size");
    }
    const invalid = (message: string) => refusal(400, "invalid_request_error", message);
    if (request.headers["anthropic-version"] === undefined) {
      return invalid("anthropic-version: header is required");
    }
    if (!isJson) return invalid("The request body is not valid JSON");
    const { body } = request;
    const problem = requestProblem(body) ?? this.#thinking.problem(body);
    if (problem !== undefined) return invalid(problem);
    if (models && !models.includes(String(body.model))) {
      return refusal(404, "not_found_error", `model: ${String(body.model)}`);
    }
    return this.#windowRefusal(body);
  }

  #windowRefusal(body: RequestBody): Refusal | undefined {
    const window = this.#options.contextWindow ?? CONTEXT_WINDOW_TOKENS;
    const tokens = inputTokens(body);
    if (tokens <= window) return undefined;
    return refusal(400, "invalid_request_error", `prompt is too long: ${tokens} tokens > ${window} maximum`);
  }
}

function refusal(status: number, type: string, message: string): Refusal {
  return { status, type, message };
}

function keyOf({ headers }: DoubleRequest): string | undefined {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  const key = bearer ?? headers["x-api-key"];
  return typeof key === "string" && key !== "" ? key : undefined;
}

function parseBody(raw: Buffer): RequestBody | undefined {
  try {
    const body: unknown = JSON.parse(raw.toString());
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? (body as RequestBody)
      : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` when the client left before its request was whole. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(parts);
}
