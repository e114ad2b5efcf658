import { describe, expect, it } from "vitest";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { testSyscalls } from "../support/openat2.ts";
import { runRace } from "../support/race/run-race.ts";
import { SWAP_SHAPES } from "../support/race/swap-shapes.ts";

const WAYS: Record<string, LayerSwitches> = { openat2: {}, walk: { openBeneath: "walk" } };
const syscalls = testSyscalls();

// bench/race.ts runs the same with the full counts.
describe.runIf(process.platform === "linux").each(Object.entries(WAYS))(
  "a path swapped all the time, opened by %s",
  (_way, switches) => {
    it.each(SWAP_SHAPES)("$title: nothing leaks, nothing outside changes", async (shape) => {
      const options = { shape, reads: 500, writes: 50, controlTries: 0, controlLosses: 0, switches };
      const result = await runRace({ ...options, ...(syscalls ? { syscalls } : {}) });
      expect({ ...result, leaks: shape.readMayShowCanary ? 0 : result.leaks }).toMatchObject({
        leaks: 0,
        damaged: false,
        surprises: [],
      });
    });
  },
);
