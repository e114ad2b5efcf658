import { setTimeout as sleep } from "node:timers/promises";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { mustFail } from "../hostile-row.ts";
import { listen } from "../listener.ts";

/** Code that tries to reach somebody; what arrives is an escape, and so is having been let. */
function reach(id: string, title: string, attempt: string, more: Partial<CaseRow> = {}): CaseRow {
  return {
    id,
    title,
    ...more,
    run: async (stage) => {
      const { heard, ...to } = await listen(stage);
      const args = { ...to, root: stage.tree.root };
      const result = await stage.attack(mustFail(attempt), { args, timeoutMs: 1_500 });
      stage.holds(!JSON.stringify(result.content).includes("ESCAPED"), "nothing refused it");
      await sleep(20);
      stage.holds(heard() === 0, `${heard()} connections or datagrams arrived`);
    },
  };
}

const CONNECT =
  "const to = (o) => new Promise((go, no) => require('net').connect(o).on('connect', go).on('error', no));";

export const NETWORK_CASES: readonly ProbeCase[] = family(
  "network",
  { claim: "confidentiality", layers: ["seal"] },
  [
    reach("NW-001", "fetches a page", "await fetch('http://127.0.0.1:' + args.port + '/secret');"),
    reach("NW-001b", "connects by TCP", `${CONNECT} await to({ port: args.port, host: '127.0.0.1' });`),
    reach(
      "NW-001c",
      "connects by IPv6",
      `${CONNECT} await to({ port: args.port, host: '::ffff:127.0.0.1' });`,
    ),
    reach(
      "NW-001d",
      "asks by https",
      "await new Promise((go, no) => require('https').get('https://127.0.0.1:' + args.port, go).on('error', no));",
    ),
    reach(
      "NW-001e",
      "connects by HTTP/2",
      "const c = require('http2').connect('http://127.0.0.1:' + args.port); await new Promise((go, no) => c.on('connect', go).on('error', no));",
    ),
    reach(
      "NW-001f",
      "opens a web socket",
      "if (typeof WebSocket === 'undefined') throw new Error('none'); const s = new WebSocket('ws://127.0.0.1:' + args.port); await new Promise((go, no) => { s.onopen = go; s.onerror = () => no(new Error('refused')); });",
      { notHere: () => ("WebSocket" in globalThis ? undefined : "this Node has no WebSocket") },
    ),
    reach(
      "NW-002",
      "tells a secret by a name look-up",
      "await require('dns').promises.resolveTxt('secret.probe.invalid');",
      {
        layers: [],
        notHere: ({ options }) =>
          options.seal === "off" ? "it would ask a name server that is not the probe's" : undefined,
      },
    ),
    reach(
      "NW-002b",
      "sends a datagram",
      "const s = require('dgram').createSocket('udp4'); await new Promise((go, no) => { s.on('error', no); s.send('secret', args.udpPort, '127.0.0.1', (e) => e ? no(e) : go()); });",
    ),
    reach(
      "NW-002c",
      "asks a name server of its own",
      "const r = new (require('dns').promises.Resolver)({ timeout: 200, tries: 1 }); r.setServers(['127.0.0.1:' + args.udpPort]); await r.resolve4('secret.probe.invalid');",
    ),
    reach(
      "NW-003",
      "listens",
      "await new Promise((go, no) => require('net').createServer().on('error', no).listen(0, '127.0.0.1', go));",
    ),
    reach(
      "NW-003b",
      "listens for datagrams",
      "await new Promise((go, no) => require('dgram').createSocket('udp4').on('error', no).bind(0, go));",
    ),
    reach("NW-004", "connects to a Unix socket", `${CONNECT} await to({ path: args.socket });`),
    reach("NW-004b", "connects to an abstract Unix socket", `${CONNECT} await to({ path: args.abstract });`),
    reach(
      "NW-005",
      "spells the address as one number",
      "await fetch('http://2130706433:' + args.port + '/');",
    ),
    reach("NW-005b", "spells the address in hexadecimal", "await fetch('http://0x7f.1:' + args.port + '/');"),
    reach(
      "NW-007",
      "opens the inspector",
      "require('inspector').open(0, '127.0.0.1'); if (!require('inspector').url()) throw new Error('not open');",
    ),
    reach(
      "NW-008",
      "uses a socket that the process has open",
      "for (let fd = 3; fd < 64; fd++) { let s; try { s = new (require('net').Socket)({ fd }); } catch { continue; } s.on('error', () => {}); s.write('GET / HTTP/1.1\\r\\n\\r\\n'); } await new Promise((go) => setTimeout(go, 100)); throw new Error('wrote into the dark');",
      {
        notHere: ({ options }) =>
          options.isolation === "thread" ? "it would end the process that runs the probe" : undefined,
      },
    ),
  ],
);
