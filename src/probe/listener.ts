import { mkdirSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { dirname } from "node:path";
import type { Stage } from "./stage.ts";

export interface Listener {
  /** TCP and UDP, on loopback. */
  port: number;
  udpPort: number;
  socket: string;
  /** Of a Unix socket that has no file. Linux only. */
  abstract: string;
  /** Connections and datagrams that arrived. */
  heard: () => number;
}

/** Listens on loopback and at a Unix socket outside of the workspace, until the case is over. */
export async function listen(stage: Stage): Promise<Listener> {
  let heard = 0;
  const answer = (): Server =>
    createServer((socket) => {
      heard += 1;
      socket.on("error", () => {});
      socket.destroy();
    });
  const [tcp, local, unnamed, udp] = [answer(), answer(), answer(), createSocket("udp4")];
  const abstract = `\0ruizn-probe-${stage.canary.slice(0, 8)}`;
  const socket = `${stage.tree.base}/sockets/s.sock`;
  mkdirSync(dirname(socket), { recursive: true });
  udp.on("message", () => (heard += 1));
  const ready = [once(tcp.listen(0, "127.0.0.1"), "listening"), once(local.listen(socket), "listening")];
  if (process.platform === "linux") ready.push(once(unnamed.listen(abstract), "listening"));
  udp.bind(0, "127.0.0.1");
  await Promise.all([...ready, once(udp, "listening")]);
  stage.after(() => {
    for (const server of [tcp, local, unnamed]) server.close();
    udp.close();
  });
  return {
    port: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    socket,
    abstract,
    heard: () => heard,
  };
}
