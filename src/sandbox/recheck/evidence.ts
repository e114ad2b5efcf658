import { deniedPath } from "../guard/denied-paths.ts";
import { isAbsolutePath, segmentsBeneath, splitPath } from "../guard/path-text.ts";
import type { Evidence, ReplyHead } from "../protocol.ts";
import type { RecheckExpectation } from "../recheck.ts";
import { isDeviceBeneath } from "./mounts.ts";
import { Rejection } from "./rejection.ts";

const DELETED = " (deleted)";

/**
 * Judges the evidence as text, against root and policy. Nothing is opened again by its name: that would be one more
 * race, and the descriptors that were read are closed.
 */
export function checkEvidence(head: ReplyHead, expect: RecheckExpectation): void {
  if (head.ok && head.evidence.length === 0 && (expect.paths?.length ?? 0) > 0) {
    throw new Rejection(
      "evidence_missing",
      "the call names a path, and its result shows none that was opened",
    );
  }
  const devices = new Set([expect.rootDev]);
  for (const entry of head.evidence) {
    checkAccess(entry, expect);
    checkPath(entry, expect.root);
    if (devices.has(entry.dev)) continue;
    checkDevice(entry, expect.root);
    devices.add(entry.dev);
  }
}

function checkAccess(entry: Evidence, expect: RecheckExpectation): void {
  if (entry.access === "write" && expect.profile !== "write") {
    throw new Rejection(
      "evidence_access",
      `a call under the profile ${expect.profile} wrote ${shown(entry)}`,
    );
  }
  const byName = expect.byName ?? process.platform !== "linux";
  if (entry.by_name && !byName) {
    throw new Rejection(
      "evidence_by_name",
      `the evidence for ${shown(entry)} does not come from its descriptor`,
    );
  }
}

function checkPath(entry: Evidence, root: string): void {
  const path = entry.real_path;
  const segments = splitPath(path);
  const spelled = isAbsolutePath(path) && !path.includes("\0") && !segments.includes("..");
  const inside = spelled ? segmentsBeneath(segments, root) : undefined;
  if (!inside) throw new Rejection("evidence_path", `${shown(entry)} is outside the workspace`);
  if (path.endsWith(DELETED) && entry.nlink === 0) {
    throw new Rejection("evidence_path", `${shown(entry)} was removed before it was opened`);
  }
  const denied = deniedPath(inside, entry.access === "write" ? "write" : "read");
  if (denied !== undefined) throw new Rejection("evidence_denied", `${shown(entry)} ${denied}`);
}

function checkDevice(entry: Evidence, root: string): void {
  let beneath: boolean;
  try {
    beneath = isDeviceBeneath(entry.dev, root);
  } catch {
    // Nothing to ask: the root's own device is then the only one known.
    beneath = false;
  }
  if (!beneath)
    throw new Rejection("evidence_device", `${shown(entry)} is on a device that is not in the workspace`);
}

/** Without the workspace's own path; quoted and cut. */
function shown(entry: Evidence): string {
  return JSON.stringify(entry.real_path.slice(-200));
}
