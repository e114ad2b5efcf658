import { createServer, type Server } from "node:net";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { ToolPool, type ToolPoolOptions } from "../../src/sandbox/tool-pool.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** Everything is tried by Node's own functions, from a tool's place; what each came to is the result. */
const BODY = `
import * as fs from "node:fs";
import { connect } from "node:net";
import { spawnSync } from "node:child_process";
const connected = (to) => new Promise((yes, no) => connect(to).on("connect", yes).on("error", no));
const started = () => { const { error } = spawnSync("/bin/true"); if (error) throw error; };
export default async ({ outside, port }) => {
  const attempts = {
    "read": () => fs.readFileSync(outside + "/secret"),
    "read, asynchronous": () => fs.promises.readFile(outside + "/secret"),
    "write": () => fs.writeFileSync(outside + "/made", ""),
    "write, asynchronous": () => fs.promises.writeFile(outside + "/made", ""),
    "list, asynchronous": () => fs.promises.readdir(outside),
    "connect": () => connected({ host: "127.0.0.1", port }),
    "program": started,
    "own file, asynchronous": () => fs.promises.readFile("a.txt"),
  };
  const came = {};
  for (const [name, act] of Object.entries(attempts)) {
    came[name] = await Promise.resolve().then(act).then(() => "done", (error) => error.code);
  }
  return { content: [{ type: "text", text: "tried" }], data: came };
};`;

let server: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

function setUp(options: Partial<ToolPoolOptions>) {
  const folder = tempWorkspace();
  const [root, outside, code] = ["root", "outside", "code"].map((name) => join(folder, name));
  for (const made of [root, outside, code]) mkdirSync(made as string);
  writeFileSync(join(root as string, "a.txt"), "a");
  writeFileSync(join(outside as string, "secret"), "secret");
  writeFileSync(join(code as string, "package.json"), '{ "type": "module" }');
  writeFileSync(join(code as string, "tool.js"), BODY);
  const pool = new ToolPool({ root: root as string, seal: "try", isolation: "process", ...options });
  onTestFinished(() => pool.close());
  const tool = new ModuleTool("tries", { module: pathToFileURL(join(code as string, "tool.js")).href });
  const call = async () => {
    const signal = new AbortController().signal;
    const outcome = await pool.run(tool, { outside, port }, { signal, timeoutMs: 20_000 });
    if (outcome.kind !== "reply") throw new Error(`${outcome.errorType}: ${outcome.message}`);
    return (JSON.parse((outcome.reply as { head: string }).head) as { data: Record<string, string> }).data;
  };
  return { call, made: () => readdirSync(outside as string) };
}

describe.runIf(SEALABLE)("a tool in a host, whose every attempt is made again by libuv's threads", () => {
  const REFUSED = expect.stringMatching(/^(EACCES|EPERM)$/);

  test("the kernel alone: refused without Node's permission model", async () => {
    const { call, made } = setUp({ switches: { hostPermission: "off" } });
    expect(await call()).toEqual({
      read: "EACCES",
      "read, asynchronous": "EACCES",
      write: "EACCES",
      "write, asynchronous": "EACCES",
      "list, asynchronous": "EACCES",
      connect: REFUSED,
      program: REFUSED,
      "own file, asynchronous": "done",
    });
    expect({ made: made(), connections }).toEqual({ made: ["secret"], connections: 0 });
  });

  test("both layers: whatever Node refuses is not asked of the kernel", async () => {
    const { call, made } = setUp({});
    expect(await call()).toMatchObject({
      read: "ERR_ACCESS_DENIED",
      "read, asynchronous": "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      "write, asynchronous": "ERR_ACCESS_DENIED",
      connect: REFUSED,
      "own file, asynchronous": "done",
    });
    expect({ made: made(), connections }).toEqual({ made: ["secret"], connections: 0 });
  });

  test("neither: the same attempts get through, so it is the layers that hold them", async () => {
    const { call, made } = setUp({ seal: "off", switches: { hostPermission: "off" } });
    expect(await call()).toMatchObject({
      read: "done",
      "read, asynchronous": "done",
      write: "done",
      "write, asynchronous": "done",
      "list, asynchronous": "done",
      connect: "done",
      program: "done",
    });
    expect(made()).toEqual(["made", "secret"]);
  });

  test("the process is bounded by the kernel: memory, descriptors, no core", async () => {
    const before = children();
    const { call } = setUp({});
    await call();
    const limits = children()
      .filter((pid) => !before.includes(pid))
      .map(limitsOf)
      // A spare that has just been started has none yet.
      .find(({ core }) => core === "0");
    expect(limits).toEqual({ data: expect.stringMatching(/^\d+$/), core: "0", files: "512" });
    expect(Number(limits?.data)).toBeGreaterThan(LIMITS.hostGrowthMaxBytes);
    expect(Number(limits?.data)).toBeLessThan(4 * LIMITS.hostGrowthMaxBytes);
  });
});

function children(): number[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
    .filter((pid) => pid !== "")
    .map(Number);
}

/** The hard limits. */
function limitsOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/limits`, "utf8");
  const hard = (name: string) => new RegExp(`^${name} +\\S+ +(\\S+)`, "m").exec(text)?.[1];
  return { data: hard("Max data size"), core: hard("Max core file size"), files: hard("Max open files") };
}
