import { lstat, readdir, rm } from "node:fs";
import { join } from "node:path";

export const CANARY_PREFIX = "ruizn-canary-";
/** A self-check is over within ten seconds. */
const STALE_AFTER_MS = 3_600_000;

/**
 * Takes away canaries of processes that were killed in the middle of their self-check: folders of this user's own that
 * are an hour old. On libuv's threads, without waiting: nobody needs it to be done, and what fails is left.
 */
export function removeStaleCanaries(place: string): void {
  readdir(place, (error, names) => {
    if (error) return;
    for (const name of names) if (name.startsWith(CANARY_PREFIX)) removeWhenStale(join(place, name));
  });
}

function removeWhenStale(path: string): void {
  lstat(path, (error, found) => {
    if (error || !found.isDirectory() || found.uid !== process.getuid?.()) return;
    if (Date.now() - found.mtimeMs > STALE_AFTER_MS) rm(path, { recursive: true, force: true }, () => {});
  });
}
