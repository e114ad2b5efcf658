import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import type { AnthropicOptions } from "../../src/provider/anthropic/anthropic-options.ts";
import { needsProxy } from "../../src/provider/anthropic/needs-proxy.ts";
import { text } from "../../src/testing.ts";
import { withDouble } from "./with-double.ts";

const CERT = fileURLToPath(new URL("../fixtures/tls/cert.pem", import.meta.url));
const KEY = CERT.replace("cert.pem", "key.pem");
const PROVIDER = new URL("../../dist/src/provider/anthropic/anthropic-provider.js", import.meta.url);
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The double behind TLS. */
async function withTls() {
  const { double } = await withDouble(() => text("Hi."));
  const { port } = new URL(double.url);
  const server = tls.createServer({ cert: readFileSync(CERT), key: readFileSync(KEY) }, (socket) => {
    relay(socket, net.connect(Number(port), "127.0.0.1"));
  });
  return { double, baseUrl: `https://localhost:${await listen(server)}` };
}

/** An HTTP proxy that knows CONNECT and one user. */
async function proxy(answer = 200) {
  const asked: string[] = [];
  const server = http.createServer().on("connect", (request: http.IncomingMessage, socket: net.Socket) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? "nobody"}`);
    socket.on("error", () => {});
    if (answer !== 200) {
      socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    relay(socket, net.connect(Number(port), hostname));
  });
  return { asked, host: `127.0.0.1:${await listen(server)}` };
}

function relay(one: net.Socket, other: net.Socket): void {
  one.on("error", () => other.destroy());
  other.on("error", () => one.destroy());
  one.pipe(other).pipe(one);
  closers.push(() => one.destroy());
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

/** Asks twice from a process of its own, which trusts the test's certificate. */
async function askFromProcess(options: Partial<AnthropicOptions>) {
  const script = `
    const { AnthropicProvider } = await import(${JSON.stringify(PROVIDER.href)});
    const provider = new AnthropicProvider({ model: "m", apiKey: "k", maxRetries: 0, ...${JSON.stringify(options)} });
    const sink = { onText() {}, onThinking() {}, onWithdrawn() {}, onRetry() {} };
    const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
    const ask = () => provider.stream({ system: "", tools: [], messages, maxTokens: 9 }, sink, new AbortController().signal);
    const told = await Promise.all([ask(), ask()]).then(([{ content }]) => content, ({ code, message }) => ({ code, message }));
    process.stdout.write(JSON.stringify(told), () => process.exit());`;
  const env = { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: CERT };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    env,
  });
  return JSON.parse(stdout) as unknown;
}

test("refuses a certificate that nobody vouches for, and does not try again", async () => {
  const { baseUrl, double } = await withTls();
  const { ask } = await withDouble([], { baseUrl });
  await expect(ask()).rejects.toMatchObject({
    code: "network_error",
    message: expect.stringMatching(/^no secure connection to localhost:\d+ \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
    hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  });
  expect(double.requests).toHaveLength(0);
});

test("talks TLS to a server whose certificate is trusted", async () => {
  const { baseUrl, double } = await withTls();
  expect(await askFromProcess({ baseUrl })).toEqual([{ type: "text", text: "Hi." }]);
  expect(double.requests).toHaveLength(2);
});

test("goes through a proxy with name and password, and past it where NO_PROXY says", async () => {
  const { baseUrl, double } = await withTls();
  const { asked, host } = await proxy();
  const through = { baseUrl, proxy: `http://us%40er:pass@${host}` };
  expect(await askFromProcess(through)).toEqual([{ type: "text", text: "Hi." }]);
  const connect = `CONNECT ${new URL(baseUrl).host} Basic ${Buffer.from("us@er:pass").toString("base64")}`;
  expect(asked).toEqual([connect, connect]);
  expect(await askFromProcess({ ...through, noProxy: "example.com, localhost" })).toEqual([
    { type: "text", text: "Hi." },
  ]);
  expect([asked.length, double.requests.length]).toEqual([2, 4]);
});

test("names a proxy that refuses, and one that is not there", async () => {
  const { baseUrl } = await withTls();
  const { host } = await proxy(407);
  expect(await askFromProcess({ baseUrl, proxy: `http://${host}` })).toEqual({
    code: "network_error",
    message: `no connection to proxy ${host}: the proxy answered 407 to CONNECT ${new URL(baseUrl).host}`,
  });
  expect(await askFromProcess({ baseUrl, proxy: "http://127.0.0.1:1" })).toEqual({
    code: "network_error",
    message: "proxy 127.0.0.1:1 refused the connection (ECONNREFUSED)",
  });
});

test("ends at once when it is aborted while a proxy keeps it waiting", async () => {
  let closed = 0;
  const silent = net.createServer((socket) => {
    socket.on("error", () => {}).on("close", () => closed++);
    closers.push(() => socket.destroy());
  });
  const port = await listen(silent);
  const { ask } = await withDouble([], { baseUrl: "https://localhost:1", proxy: `http://127.0.0.1:${port}` });
  const controller = new AbortController();
  const asked = ask({}, controller.signal).catch((error: unknown) => error);
  await new Promise((resolve) => silent.once("connection", resolve));
  controller.abort();
  expect(await asked).toMatchObject({ code: "aborted" });
  // Nothing is left behind that would keep the process from ending.
  await expect.poll(() => closed).toBe(1);
});

test.each([
  ["https://api.example.com", "", true],
  ["https://api.example.com", "*", false],
  ["https://api.example.com", "example.com", false],
  ["https://api.example.com", ".example.com", false],
  ["https://api.example.com", "*.Example.com", false],
  ["https://api.example.com", "other.com,api.example.com:443", false],
  ["https://api.example.com", "api.example.com:8443", true],
  ["https://badexample.com", "example.com", true],
  ["https://api.example.com", " , ,", true],
])("takes the proxy for %s with NO_PROXY=%s: %s", (url, noProxy, expected) => {
  expect(needsProxy(new URL(url), noProxy)).toBe(expected);
});
