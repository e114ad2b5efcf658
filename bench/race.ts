// The swap race in full: node --experimental-strip-types bench/race.ts [reads] [writes] (Node 22.6 or later), or bundled.
import { testSyscalls } from "../test/support/openat2.ts";
import { runRace } from "../test/support/race/run-race.ts";
import { SWAP_SHAPES } from "../test/support/race/swap-shapes.ts";

const CONTROL_LOSSES = 10;
const CONTROL_TRIES = 2_000_000;

const [reads = 200_000, writes = 50_000] = process.argv.slice(2).map(Number);
const syscalls = testSyscalls();
const total = { reads: 0, honest: 0, leaks: 0, writes: 0, done: 0, control: 0 };
let broken = false;

for (const [index, shape] of SWAP_SHAPES.entries()) {
  const share = (count: number): number => Math.ceil(count / SWAP_SHAPES.length);
  // The weak guard runs against the first shape, in the same run: with it the race is shown to be one.
  const control =
    index === 0
      ? { controlTries: CONTROL_TRIES, controlLosses: CONTROL_LOSSES }
      : { controlTries: 0, controlLosses: 0 };
  const openBeneath = index % 2 === 1 || !syscalls ? "walk" : undefined;
  const result = await runRace({
    shape,
    reads: share(reads),
    writes: share(writes),
    ...control,
    ...(openBeneath ? { switches: { openBeneath } } : {}),
    ...(syscalls ? { syscalls } : {}),
  });
  const leaks = shape.readMayShowCanary ? 0 : result.leaks;
  broken ||= leaks > 0 || result.damaged || result.surprises.length > 0;
  total.reads += result.reads;
  total.honest += result.readsHonest;
  total.leaks += leaks;
  total.writes += result.writes;
  total.done += result.writesDone;
  total.control += result.controlLosses;
  console.log(JSON.stringify({ shape: shape.title, by: openBeneath ?? "openat2", ...result }));
}
const verdict =
  total.control < CONTROL_LOSSES
    ? "void: the weak guard did not lose often enough"
    : broken
      ? "broken"
      : "held";
console.log(JSON.stringify({ ...total, verdict }));
process.exitCode = verdict === "held" ? 0 : 1;
