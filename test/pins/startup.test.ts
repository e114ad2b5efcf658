import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MessagesDouble, startMessagesDouble, text } from "../../src/testing.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const KB = 1_024;

interface Loaded {
  scripts: { url: string; bytes: number }[];
  /** Of Node itself, as its `process.moduleLoadList` names them. */
  builtins: string[];
}

let folder: string;
let double: MessagesDouble;
let loaded: Loaded;
let output = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ruizn-startup-"));
  double = await startMessagesDouble({ script: [text("Done.")] });
  writeFileSync(join(folder, "README.md"), "# A\n");
  const preload = join(root, "test/support/scripts-loaded.cjs");
  const list = join(folder, "scripts.json");
  const args = ["--require", preload, join(root, "dist/bin/ruizn.js"), "run", "--goal", "Say something"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: { HOME: folder, ANTHROPIC_API_KEY: "test", ANTHROPIC_BASE_URL: double.url, SCRIPTS_LOADED: list },
  });
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  loaded = JSON.parse(readFileSync(list, "utf8")) as Loaded;
});

afterAll(async () => {
  await double.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Files of ours and of packages, without the hashes of chunks. */
function filesLoaded(): string[] {
  const base = pathToFileURL(root).href;
  return loaded.scripts
    .map(({ url }) => url)
    .filter((url) => url.startsWith(base) || url.startsWith(root))
    .map((url) => (url.startsWith("file:") ? url.slice(base.length) : url.slice(root.length)))
    .map((path) => path.replace(/-[A-Z0-9]{8}\.cjs$/, ".cjs"))
    .filter((path) => path !== "test/support/scripts-loaded.cjs");
}

describe("what a run loads before its first request", () => {
  it("reaches the model and answers", () => {
    expect(output).toBe("Done.\n");
  });

  it("is these chunks, all of them CommonJS, and no package", () => {
    const named = filesLoaded().filter((path) => path !== "dist/bundle/chunk.cjs");
    expect(named.toSorted()).toMatchInlineSnapshot(`
      [
        "dist/bin/ruizn.js",
        "dist/bundle/agent-runner.cjs",
        "dist/bundle/all-tools.cjs",
        "dist/bundle/anthropic-provider.cjs",
        "dist/bundle/canonical-root.cjs",
        "dist/bundle/cell.cjs",
        "dist/bundle/dispatch.cjs",
        "dist/bundle/esm-wrapper.cjs",
        "dist/bundle/rule-policy.cjs",
        "dist/bundle/run-command.cjs",
        "dist/bundle/run-process.cjs",
        "dist/bundle/sdk.cjs",
      ]
    `);
  });

  it("leaves Node's own fetch alone: it costs as much as the rest of a request", () => {
    expect(loaded.builtins).toContain("NativeModule _http_client");
    expect(loaded.builtins.filter((name) => name.includes("undici"))).toEqual([]);
  });

  it("leaves web streams and web crypto alone, which nothing of it needs", () => {
    const heavy = /webstreams\/readablestream|webcrypto|crypto\/webidl|zlib/;
    expect(loaded.builtins.filter((name) => heavy.test(name))).toEqual([]);
  });

  it("stays small: a rise needs a reason", () => {
    const chunks = loaded.scripts.filter(({ url }) => url.includes("/dist/"));
    // Each command that shares a module with this one makes a chunk of it: `replay` the printers, the probe its result files and
    // numbers, the review options and notices, a resume the loop, a host that is launched ahead the canary's folder.
    expect(chunks.length).toBeLessThanOrEqual(49);
    // A tenth of it is what CommonJS writes around each name that comes from another chunk.
    expect(chunks.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(680 * KB);
  });
});

describe("the provider", () => {
  it("loads the SDK when it is told to get ready, and not before", () => {
    const script = `
      import { Session } from "node:inspector";
      import { setTimeout as sleep } from "node:timers/promises";
      const urls = [];
      const session = new Session();
      session.connect();
      session.on("Debugger.scriptParsed", ({ params }) => urls.push(params.url));
      session.post("Debugger.enable");
      const loaded = () => urls.some((url) => url.endsWith("/anthropic/sdk.js"));
      const { AnthropicProvider } = await import("./dist/src/provider/anthropic/anthropic-provider.js");
      const provider = new AnthropicProvider({ model: "claude-test", apiKey: "k" });
      const before = loaded();
      provider.warmUp();
      while (!loaded()) await sleep(5);
      process.stdout.write(String(before));`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, timeout: 20_000 });
    expect({ stdout: stdout.toString(), status }).toEqual({ stdout: "false", status: 0 });
  });
});

describe("the bundle", () => {
  it("keeps what only some runs need out of the way", () => {
    const names = readdirSync(join(root, "dist/bundle")).filter((name) => name.endsWith(".cjs"));
    const sizes = names.map((name) => ({ name, bytes: statSync(join(root, "dist/bundle", name)).size }));
    expect(sizes.filter(({ bytes }) => bytes > 320 * KB)).toEqual([]);
    expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(1_100 * KB);
    const first = new Set(filesLoaded().map((path) => basename(path)));
    expect(first.has("offline-provider.cjs")).toBe(false);
    expect(names.some((name) => name.startsWith("offline-provider-"))).toBe(true);
  });
});
