import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { hostOf } from "./anthropic-options.ts";

type OnSocket = (error: Error | null, socket: Duplex) => void;

/** Reaches https servers through an HTTP proxy, by CONNECT: the proxy sees the host's name and nothing else. */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super({ keepAlive: true });
    this.#proxy = proxy;
  }

  override createConnection(options: https.RequestOptions, onSocket?: OnSocket): undefined {
    const target = `${options.host}:${options.port}`;
    const proxy = hostOf(this.#proxy);
    const fail = (error: Error) =>
      onSocket?.(Object.assign(error, { proxy }), undefined as unknown as Duplex);
    const asking = (this.#proxy.protocol === "https:" ? https : http).request({
      hostname: this.#proxy.hostname,
      port: this.#proxy.port || (this.#proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...authorization(this.#proxy) },
      agent: false,
    });
    asking.once("error", fail);
    asking.once("connect", (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(new Error(`the proxy answered ${answer.statusCode} to CONNECT ${target}`));
        return;
      }
      const { host: servername } = options;
      onSocket?.(
        null,
        tls.connect({ ...(options as tls.ConnectionOptions), socket, ...(servername ? { servername } : {}) }),
      );
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
