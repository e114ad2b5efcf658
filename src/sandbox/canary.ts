import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { SelfCheckInput } from "./self-check-input.ts";
import { CANARY_PREFIX, removeStaleCanaries } from "./stale-canaries.ts";

/** A secret file outside the workspace and a listener, for a sealed worker to fail to reach. */
export interface Canary {
  readonly input: Omit<SelfCheckInput, "tier">;
  /** How many connections the listener was asked for so far. */
  connections(): number;
  /** Takes everything away again; does not throw. */
  remove(): Promise<void>;
}

/** @throws when there is no folder outside of `readable` for a canary */
export function makeCanaryFolder(readable: readonly string[]): string {
  return mkdtempSync(join(placeOutside(readable), CANARY_PREFIX));
}

/** @throws when nothing can be planted in the folder. It is gone then, and otherwise once the canary is removed. */
export async function plantCanary(folder: string): Promise<Canary> {
  let descriptor: number | undefined;
  let server: Server | undefined;
  let connections = 0;
  const remove = async (): Promise<void> => {
    if (descriptor !== undefined) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
    removeStaleCanaries(dirname(folder));
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  };
  try {
    const canary = join(folder, "canary");
    const link = join(folder, "link");
    writeFileSync(canary, randomBytes(16).toString("hex"), { mode: 0o600 });
    symlinkSync(canary, link);
    descriptor = openSync(canary, "r");
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listen(server);
    const input = { canary, link, descriptor, beside: join(folder, "beside"), port, addons: addonNames() };
    return { input, connections: () => connections, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function placeOutside(readable: readonly string[]): string {
  const places = [tmpdir(), homedir(), "/var/tmp"].flatMap(canonical);
  const inside = (place: string, folder: string): boolean => {
    const path = relative(folder, place);
    return path !== ".." && !path.startsWith(`..${sep}`);
  };
  const folders = readable.flatMap(canonical);
  const place = places.find((candidate) => !folders.some((folder) => inside(candidate, folder)));
  if (place === undefined) throw new Error(`no folder outside the workspace ${readable[0]} for a canary`);
  return place;
}

function canonical(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** koffi's addon by path, as its package lays it out, and by the name under which the C library knows it. */
function addonNames(): string[] {
  const bare = "koffi.node";
  try {
    const require = createRequire(import.meta.url);
    const koffi = createRequire(require.resolve("koffi"));
    const folder = dirname(koffi.resolve(`@koromix/koffi-${process.platform}-${process.arch}`));
    return [join(folder, `${process.platform}_${process.arch}`, bare), bare];
  } catch {
    return [bare];
  }
}
