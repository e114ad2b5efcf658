import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/probe/catalogue.ts";
import { claimsTable } from "../../src/probe/claims-table.ts";
import { type CaseReport, runProbe } from "../../src/probe/run-probe.ts";
import type { StageOptions } from "../../src/probe/stage.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { aShare } from "../support/effort.ts";

async function judged(ids: readonly string[], stage: StageOptions = {}): Promise<CaseReport[]> {
  return runProbe({ cases: CATALOGUE.filter(({ id }) => ids.includes(id)), stage });
}

describe.runIf(SEALABLE)("a layer that is broken is found by the cases that rest on it", () => {
  it.each<[string, string, string, string, StageOptions]>([
    ["the seal", "NW-001", "single", "escaped", { seal: "off" }],
    ["the guard in the worker", "SL-004", "single", "escaped", { switches: { workerGuard: "off" } }],
    ["the re-check", "RF-010", "single", "escaped", { switches: { recheck: "off" } }],
    ["the host's permissions", "CH-003", "held", "single", { switches: { hostPermission: "off" } }],
  ])("%s: %s is %s, and %s without it", async (_, id, whole, broken, stage) => {
    const outcomes = [await judged([id]), await judged([id], stage)].map(([report]) => report?.outcome);
    expect(outcomes).toEqual([whole, broken]);
  });

  it("the guard in the main thread: without it and the seal the worker's guard is alone", async () => {
    const stages: StageOptions[] = [{ seal: "off" }, { seal: "off", switches: { mainGuard: "off" } }];
    const found = [];
    for (const stage of stages) found.push((await judged(["PT-001"], stage))[0]);
    expect(found.map((report) => [report?.outcome, report?.heldBy])).toEqual([
      ["held", ["main-guard", "worker-guard", "seal", "re-check"]],
      ["single", ["worker-guard"]],
    ]);
  });

  it("a case that breaks is an error and not an escape, and the next one runs", async () => {
    const [honest] = CATALOGUE.filter(({ id }) => id === "PT-018");
    if (!honest) throw new Error("the case is gone");
    const broken = { ...honest, id: "XX-1", run: () => Promise.reject(new Error("no such thing")) };
    const reports = await runProbe({ cases: [broken, honest] });
    expect(reports.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["XX-1", "error"],
      ["PT-018", "held"],
    ]);
  });
});

describe("SECURITY.md's table of claims", () => {
  const page = readFileSync("SECURITY.md", "utf8");
  const [, table = ""] = /<!-- claims: begin -->\n([^]*?)<!-- claims: end -->/.exec(page) ?? [];
  const rows = table
    .trim()
    .split("\n")
    .slice(2)
    .map((line) => line.slice(2, -2).split(" | "));

  it("has a row for each claim and family of the catalogue", () => {
    const wanted = new Set(CATALOGUE.map(({ claim, family }) => `${claim} ${family}`));
    expect(rows.map(([claim, family]) => `${claim} ${family}`).toSorted()).toEqual([...wanted].toSorted());
  });

  it("counts every case that is not left out for a reason", () => {
    const all = rows.reduce((sum, [, , cases]) => sum + Number(cases), 0);
    // Three have no counterpart without an MCP client, one needs a WebSocket, one may be late.
    expect(CATALOGUE.length - all).toBeLessThanOrEqual(5);
  });

  it.runIf(SEALABLE)("says of cases what the probe finds here", { timeout: 180_000 }, async () => {
    const sample = aShare(
      CATALOGUE.filter((_, at) => at % 40 === 7),
      3,
    );
    const wrong = (await runProbe({ cases: sample })).filter((report) => {
      const row = rows.find(([claim, family]) => claim === report.claim && family === report.family);
      return report.outcome !== "not_applicable" && !agrees(row, report);
    });
    expect(wrong).toEqual([]);
  });
});

/** The row of one case alone has to be a part of the row for all: the same layers, the same reason. */
function agrees(row: readonly string[] | undefined, report: CaseReport): boolean {
  if (report.outcome === "degraded") return true;
  const own = claimsTable([report]).split("\n")[2]?.slice(2, -2).split(" | ") ?? [];
  const said = (cell = ""): string => cell.trim().replace(/^\d+ by /, "");
  return [3, 4].every((at) => (row?.[at] ?? "").includes(said(own[at])));
}
