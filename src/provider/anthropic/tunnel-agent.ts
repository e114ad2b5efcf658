import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { hostOf } from "./anthropic-options.ts";
import { http } from "./node-http.ts";

/** A request's own signal reaches its agent only once there is a socket: while the proxy is waited for, this one ends it. */
export interface TunnelOptions extends https.RequestOptions {
  tunnelSignal?: AbortSignal;
}

type OnSocket = (error: Error | null, socket: Duplex) => void;

/** Reaches https servers through an HTTP proxy, by CONNECT: the proxy sees the host's name and nothing else. */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super({ keepAlive: true });
    this.#proxy = proxy;
  }

  override createConnection(options: TunnelOptions, onSocket?: OnSocket): undefined {
    const host = options.host ?? "";
    const target = `${host.includes(":") ? `[${host}]` : host}:${options.port}`;
    const proxy = hostOf(this.#proxy);
    const fail = (error: Error) =>
      onSocket?.(Object.assign(error, { proxy }), undefined as unknown as Duplex);
    const asking = (this.#proxy.protocol === "https:" ? https : http).request({
      hostname: this.#proxy.hostname.replaceAll(/[[\]]/g, ""),
      port: this.#proxy.port || (this.#proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...authorization(this.#proxy) },
      agent: false,
      ...(options.tunnelSignal ? { signal: options.tunnelSignal } : {}),
    });
    asking.once("error", fail);
    asking.once("connect", (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(new Error(`the proxy answered ${answer.statusCode} to CONNECT ${target}`));
        return;
      }
      onSocket?.(null, tls.connect({ ...(options as tls.ConnectionOptions), socket }));
    });
    asking.end();
    return undefined;
  }
}

function authorization({ username, password }: URL): { "proxy-authorization"?: string } {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
