import { afterAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/probe/catalogue.ts";
import { type CaseRun, runCase } from "../../src/probe/run-case.ts";
import { Stage } from "../../src/probe/stage.ts";
import { effort } from "../support/effort.ts";
import { SEALABLE } from "../seal/sealed-place.ts";

const stage = new Stage();
afterAll(() => stage.close());

/** `ruizn probe` runs them all, on two cores; here one in so many, and all with `RUIZN_TEST_FULL=1`. */
const ONE_IN = process.env["RUIZN_TEST_FULL"] ? 1 : effort(4, 12);
const CASES = CATALOGUE.filter((_, at) => at % ONE_IN === 0);
const FAMILIES = [...new Set(CATALOGUE.map(({ family }) => family))];

it("are told apart by their ids", () => {
  const ids = CATALOGUE.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

it("are more than 500, in families of all kinds", () => {
  expect(CATALOGUE.length).toBeGreaterThan(500);
  expect(FAMILIES.toSorted().join(" ")).toBe(
    "absolute-path case-folding child-process config-trust cpu hardlink json-schema log mcp memory network path-size " +
      "path-traversal prefix-confusion prompt-injection provider-stream regex-glob result-forging secrets signal " +
      "size-content special-files state-leakage symlink terminal-output toctou tool-name unicode-encoding " +
      "worker-lifecycle",
  );
});

describe.runIf(SEALABLE)("nothing escapes", () => {
  it.each(FAMILIES)("of the family %s", { timeout: 180_000 }, async (family) => {
    const runs: CaseRun[] = [];
    for (const probe of CASES) {
      if (probe.family === family) runs.push(await runCase(probe, stage));
    }
    // On a busy machine a call may end later than promised; anything else than late is wrong.
    const late = ({ state, why }: CaseRun) => state === "degraded" && why.every((one) => / ms\b/.test(one));
    const wrong = runs.filter((run) => !["held", "not_applicable"].includes(run.state) && !late(run));
    expect(wrong).toEqual([]);
  });
});
