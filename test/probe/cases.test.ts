import { afterAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/probe/catalogue.ts";
import { type CaseRun, runCase } from "../../src/probe/run-case.ts";
import { Stage } from "../../src/probe/stage.ts";
import { aShare } from "../support/effort.ts";
import { SEALABLE } from "../seal/sealed-place.ts";

const stage = new Stage();
afterAll(() => stage.close());

const FAMILIES = [...new Set(CATALOGUE.map(({ family }) => family))];

it("are told apart by their ids", () => {
  const ids = CATALOGUE.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

describe.runIf(SEALABLE)("nothing escapes", () => {
  it.each(FAMILIES)("of the family %s", { timeout: 180_000 }, async (family) => {
    const runs: CaseRun[] = [];
    for (const probe of aShare(CATALOGUE, 3)) {
      if (probe.family === family) runs.push(await runCase(probe, stage));
    }
    const wrong = runs.filter(({ state }) => state !== "held" && state !== "not_applicable");
    expect(wrong).toEqual([]);
  });
});
