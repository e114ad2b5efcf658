import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { ProfileOptions } from "../../src/sandbox/profile.ts";
import { bundleThread, type SealedThread, startThread } from "./sealed-thread.ts";

/** The systems that the seal is for. */
export const SEALABLE = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** Where everything lies, as the code in the thread is told. */
export interface Place {
  root: string;
  outside: string;
  port: number;
  hostPid: number;
}

export interface SealedPlace {
  place: () => Place;
  /** A thread of its own, stopped after the test. */
  start: (options: Partial<ProfileOptions>) => Promise<SealedThread>;
  folder: () => string;
  bundle: () => string;
}

/** A workspace, a folder beside it and a listener for the tests of one file, and threads sealed to the workspace. */
export function sealedPlace(name: string): SealedPlace {
  const folders: string[] = [];
  const threads: SealedThread[] = [];
  const server = createServer((socket) => socket.destroy());
  const folder = (): string => {
    const made = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-seal-")));
    folders.push(made);
    return made;
  };
  const place: Place = { root: folder(), outside: folder(), port: 0, hostPid: process.pid };
  let bundle = "";

  beforeAll(async () => {
    bundle = await bundleThread(name);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    place.port = typeof address === "object" && address ? address.port : 0;
    writeFileSync(join(place.root, "inside.txt"), "inside");
    writeFileSync(join(place.root, "hook.sh"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    writeFileSync(join(place.outside, "secret.txt"), "secret");
    copyFileSync(addon(), join(place.root, "addon.node"));
  });
  afterEach(async () => {
    await Promise.all(threads.splice(0).map((thread) => thread.stop()));
  });
  afterAll(async () => {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
    await new Promise((resolve) => server.close(resolve));
  });

  const start = async (options: Partial<ProfileOptions>): Promise<SealedThread> => {
    const profile = { profile: "read" as const, root: place.root, readPaths: [], ...options };
    const thread = await startThread(bundle, profile);
    threads.push(thread);
    expect(thread.outcome).toMatchObject({ state: "sealed", seccomp: true });
    return thread;
  };
  return { place: () => place, start, folder, bundle: () => bundle };
}

/** A native addon: koffi's own. */
function addon(): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(
    createRequire(require.resolve("koffi")).resolve(`@koromix/koffi-linux-${process.arch}`),
  );
  return join(folder, `linux_${process.arch}`, "koffi.node");
}
