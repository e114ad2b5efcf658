// How long after its deadline a call is back, and what ran it gone: hostile tool bodies, each kind in a process of its own.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { statistics } from "../lib/statistics.mjs";

const CASE = fileURLToPath(new URL("../lib/deadline-case.mjs", import.meta.url));
const TIMEOUT_MS = 250;
const GAVE_UP_MS = 1_000;
/** What a thread can be ended in. */
const PLAIN = ["loop", "atomics-wait", "regex", "never-settles"];
const ALLOCATING = ["array-buffers", "string", "heap-objects", "heap-array"];
/** Waits in a system call: only the end of its process ends it. */
const STUCK = ["fifo"];
/** These come to an end of their own, before the deadline. */
const OTHERS = [
  "exit",
  "late-throw",
  "unhandled-rejection",
  "nested-worker",
  "child-process",
  "exec-sync",
  "flood",
  "unclonable-result",
  "getter-result",
  "forged-reply",
  "fd1-write",
  "close-fd1",
];

async function samplesOf(kinds, tier, calls) {
  const lists = [];
  for (const kind of kinds) {
    const args = [CASE, kind, tier, String(calls), String(TIMEOUT_MS)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: {}, timeout: 120_000 });
    lists.push(JSON.parse(stdout));
  }
  return lists.flat();
}

function p99Of({ values, ...rest }) {
  // What was still there when the case gave up counts as that long.
  const all = statistics(values.map((value) => value ?? GAVE_UP_MS));
  const value = all.p99 ?? all.max;
  return { ...rest, unit: "ms", ours: all, value, as: all.p99 === undefined ? "ms, worst" : "ms, p99" };
}

export async function measure({ quick }) {
  if (process.platform !== "linux") return { skipped: "reads /proc" };
  const calls = quick ? 4 : 26;
  const plain = await samplesOf(PLAIN, "thread", calls);
  const allocating = await samplesOf(ALLOCATING, "thread", quick ? 2 : 8);
  const hosts = await samplesOf(STUCK, "process", quick ? 2 : 6);
  const back = await samplesOf([...PLAIN, ...OTHERS], "process", 1);
  const goal = { max: 20 };
  const gone = (samples) => samples.map((sample) => sample.gone);
  const limit =
    "V8 ends a thread between two of its own steps: not within one large allocation or collection";
  return {
    measures: [
      p99Of({ what: `deadline → thread gone: ${PLAIN.join(", ")}`, goal, limit, values: gone(plain) }),
      p99Of({
        what: `deadline → thread gone: ${ALLOCATING.join(", ")}`,
        goal,
        limit,
        values: gone(allocating),
      }),
      p99Of({
        what: "deadline → host gone: blocked in open()",
        goal: { max: 250 },
        limit: "its thread is given 200 ms to end first",
        values: gone(hosts),
      }),
      p99Of({
        what: `process tier, deadline → call back, ${PLAIN.length + OTHERS.length} kinds`,
        goal,
        limit,
        values: back.map(({ late }) => Math.max(0, late)),
      }),
    ],
  };
}
