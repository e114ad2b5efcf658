import type { Agent, IncomingMessage } from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { bodyStream } from "./body-stream.ts";
import { HttpHeaders } from "./http-headers.ts";
import { HttpResponse } from "./http-response.ts";
import { needsProxy } from "./needs-proxy.ts";
import { http } from "./node-http.ts";
import { TunnelAgent, type TunnelOptions } from "./tunnel-agent.ts";

/** `fetch` as far as the SDK uses it; `onBytes` is told of every piece of a body that comes in. */
export type HttpFetch = (
  input: string | URL | Request,
  init: RequestInit | undefined,
  onBytes: () => void,
) => Promise<HttpResponse>;

/** The only headers that leave: the SDK would add what it finds in the environment. */
const SENT = /^(accept|authorization|content-type|user-agent|anthropic-.*|x-stainless-.*)$/;
/** Statuses that have no body. */
const BODILESS = new Set([101, 204, 205, 304]);

/**
 * `fetch` on node:http. Node's own loads an HTTP client of its own first, which costs a short run more time and
 * memory than the request does, and on Node 20 it knows no proxy. Connections are kept and reused. Redirects are not
 * followed: an API key must not travel to where a server points.
 */
export function createHttpFetch(options: { proxy: string | undefined; noProxy: string }): HttpFetch {
  const plain = new http.Agent({ keepAlive: true });
  const direct = new https.Agent({ keepAlive: true });
  const tunnel = options.proxy === undefined ? undefined : new TunnelAgent(new URL(options.proxy));
  const agentFor = (url: URL) => {
    if (url.protocol === "http:") return plain;
    return tunnel && needsProxy(url, options.noProxy) ? tunnel : direct;
  };
  return async (input, init, onBytes) => {
    const url = new URL(typeof input === "object" && "url" in input ? input.url : input);
    return toResponse(await send({ url, init: init ?? {}, agent: agentFor(url) }), onBytes);
  };
}

interface Outgoing {
  url: URL;
  init: RequestInit;
  agent: Agent;
}

/** Resolves when the headers are there. */
function send({ url, init, agent }: Outgoing): Promise<IncomingMessage> {
  const body = typeof init.body === "string" ? Buffer.from(init.body) : undefined;
  const signals = init.signal ? { signal: init.signal, tunnelSignal: init.signal } : {};
  const options: TunnelOptions = {
    agent,
    method: init.method ?? "GET",
    headers: headersOf(init, body),
    ...signals,
  };
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    let answered = false;
    const outgoing = request(url, options, (incoming) => {
      answered = true;
      resolve(incoming);
    });
    outgoing.once("socket", guardSocket);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // The server has closed a kept connection at the moment it was used again: nobody's fault, and no failed try.
      const stale = !answered && outgoing.reusedSocket && error.code === "ECONNRESET";
      if (stale) resolve(send({ url, init, agent }));
      else reject(error);
    });
    outgoing.end(body);
  });
}

/**
 * Between a response's end and the next turn a socket belongs to nobody: an abort in that moment would be an error that
 * nobody listens to, and end the process. A kept connection is guarded once.
 */
function guardSocket(socket: Duplex): void {
  if (!socket.listeners("error").includes(unheard)) socket.on("error", unheard);
}

function unheard(): void {}

function headersOf(init: RequestInit, body: Buffer | undefined): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const [name, value] of new HttpHeaders(init.headers as Iterable<[string, string]> | undefined)) {
    if (SENT.test(name)) headers[name] = value;
  }
  if (body) headers["content-length"] = String(body.length);
  return headers;
}

function toResponse(incoming: IncomingMessage, onBytes: () => void): HttpResponse {
  const headers = new HttpHeaders();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  const status = incoming.statusCode ?? 500;
  if (BODILESS.has(status)) incoming.resume();
  const body = BODILESS.has(status) ? null : bodyStream(incoming, onBytes);
  return new HttpResponse({ status, headers, body });
}
