import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import type { SealReport } from "../events/run-event.ts";
import { type Canary, makeCanaryFolder, plantCanary } from "./canary.ts";
import type { Tier } from "./cell-kind.ts";
import { ASYNC_SUFFIX, ATTEMPTS, type SealAttempt, type SelfCheckInput } from "./self-check-input.ts";

export interface SelfCheckOptions {
  /** Runs the body `self-check` with this input in a worker of profile `read`, and resolves to its `data`. */
  run: (input: SelfCheckInput) => Promise<unknown>;
  /** What that worker may read: the canary is planted outside of it. */
  root: string;
  readPaths?: readonly string[];
  /** Where that worker runs (`thread` when nothing is said). */
  tier?: Tier;
  /** Outside of what that worker may read, for the canary; otherwise one is made. */
  canaryFolder?: string | undefined;
}

/** /dev/null, opened by the main process for the host. */
const HOST_STDIN = 0;

/**
 * Attacks the seal: plants a canary outside the workspace and a listener on the loopback interface, lets a sealed
 * worker try every way to them, and tells what held. Never rejects: a check that could not be made has not held.
 */
export async function runSelfCheck(options: SelfCheckOptions): Promise<SealReport> {
  let canary: Canary | undefined;
  try {
    const { canaryFolder, root, readPaths = [] } = options;
    canary = await plantCanary(canaryFolder ?? makeCanaryFolder([root, ...readPaths]));
    const { tier = "thread" } = options;
    const input = { ...canary.input, tier, ...(tier === "process" && { descriptor: HOST_STDIN }) };
    const data = await options.run(input);
    return judge(data, { seen: seenByMain(canary), attempts: ATTEMPTS[tier] });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return notSealed({ reason: `the self-check did not finish: ${why}` });
  } finally {
    await canary?.remove();
  }
}

/**
 * Starts libuv's threads from the calling thread. They inherit the seal of whichever thread uses them first, so the
 * main thread must be that one: called before the first worker starts.
 */
export async function startLibuvPool(): Promise<void> {
  await access("/").catch(() => {});
}

/** What got through is seen here too: the worker's word is not enough. */
function seenByMain(canary: Canary): Set<SealAttempt> {
  const seen = new Set<SealAttempt>();
  if (existsSync(canary.input.beside)) seen.add("write_beside");
  if (existsSync(`${canary.input.beside}${ASYNC_SUFFIX}`)) seen.add("write_async");
  if (canary.connections() > 0) seen.add("connect");
  return seen;
}

function notSealed(seal: { reason: string; landlock_abi?: number; seccomp?: boolean }): SealReport {
  const { reason, landlock_abi = 0, seccomp = false } = seal;
  return { state: "unavailable", landlock_abi, seccomp, escaped: [], reason };
}

interface Expected {
  seen: ReadonlySet<SealAttempt>;
  attempts: readonly SealAttempt[];
}

function judge(data: unknown, { seen, attempts }: Expected): SealReport {
  const seal = field(data, "seal");
  const landlockAbi = Number(field(seal, "landlock_abi") ?? 0);
  const seccomp = field(seal, "seccomp") === true;
  if (field(seal, "state") !== "sealed") {
    const reason = field(seal, "reason");
    const why = typeof reason === "string" ? reason : "the worker did not say whether it is sealed";
    return notSealed({ reason: why, landlock_abi: landlockAbi, seccomp });
  }
  const results = field(data, "attempts");
  const notRefused = attempts.filter((name) => field(results, name) !== "refused" || seen.has(name));
  const report: SealReport = { state: "held", landlock_abi: landlockAbi, seccomp, escaped: notRefused };
  if (notRefused.length === 0) return report;
  const why = notRefused.map((name) => `${name}: ${seen.has(name) ? "escaped" : told(field(results, name))}`);
  return { ...report, state: "partial", reason: why.join(", ") };
}

function told(result: unknown): string {
  if (result === "escaped") return "escaped";
  return `not shown to be refused (${typeof result === "string" ? result : "no answer"})`;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
