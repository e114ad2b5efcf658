import { mkdirSync } from "node:fs";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import type { ProfileOptions } from "../../src/sandbox/profile.ts";
import type { SealOutcome } from "../../workers/seal/seal.ts";
import type { RefusedCall, Tools } from "./fixtures/sealed-thread.ts";

/** Inside the project, so that the bundle finds koffi as the real one does. */
const OUT = fileURLToPath(new URL("../../dist/test-seal/", import.meta.url));

/** The path of the bundled fixture; each test file gets one of its own. */
export async function bundleThread(name: string, entry = "sealed-thread.ts"): Promise<string> {
  mkdirSync(OUT, { recursive: true });
  const outfile = `${OUT}${name}.cjs`;
  await build({
    entryPoints: [fileURLToPath(new URL(`fixtures/${entry}`, import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    external: ["koffi"],
    define: { "import.meta.url": "undefined" },
    logLevel: "warning",
  });
  return outfile;
}

export interface SealedThread {
  outcome: SealOutcome | undefined;
  /** Runs the function in the thread: what it returned, or the code of what it threw, in words. */
  run: (act: (tools: Tools) => unknown, input?: unknown) => Promise<unknown>;
  stop: () => Promise<void>;
}

export async function startThread(
  file: string,
  profile: ProfileOptions | undefined,
  refuse?: RefusedCall,
): Promise<SealedThread> {
  const worker = new Worker(file, { workerData: { profile, refuse }, env: {}, argv: [] });
  const answer = async (): Promise<{ value?: unknown; error?: string }> => {
    const [message] = (await once(worker, "message")) as [{ value?: unknown; error?: string }];
    return message;
  };
  const { value } = await answer();
  return {
    outcome: value as SealOutcome | undefined,
    async run(act, input) {
      worker.postMessage({ code: act.toString(), input });
      const { value: returned, error } = await answer();
      return error ?? returned;
    },
    async stop() {
      await worker.terminate();
    },
  };
}
