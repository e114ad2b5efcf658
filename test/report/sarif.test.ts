import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SarifFinding, sarifLog, type SarifReport } from "../../src/report/sarif.ts";
import { sarifProblems } from "../support/sarif-schema.ts";

const RULE = {
  id: "probe/toctou",
  summary: "A race is lost.",
  description: "Two names are exchanged while a tool reads.",
  help: "Report it.",
  level: "error",
  severity: 9.5,
  tags: ["external/cwe/cwe-367"],
} as const;
const FINDING: SarifFinding = {
  ruleId: RULE.id,
  level: "error",
  message: "It showed what is outside.",
  file: "src/a b.ts",
  lines: { start: 3, end: 4 },
  fingerprint: "TR-001",
};

function report(change: Partial<SarifReport> = {}): SarifReport {
  return {
    tool: { name: "ruizn", version: "0.1.0" },
    category: "probe",
    rules: [RULE],
    findings: [FINDING],
    successful: true,
    ...change,
  };
}

describe("a SARIF log", () => {
  it("has what code scanning needs, and passes the schema", () => {
    const text = sarifLog(report());
    expect(sarifProblems(text)).toEqual([]);
    expect(JSON.parse(text)).toMatchInlineSnapshot(`
      {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [
          {
            "automationDetails": {
              "id": "ruizn/probe/",
            },
            "columnKind": "utf16CodeUnits",
            "invocations": [
              {
                "executionSuccessful": true,
              },
            ],
            "results": [
              {
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/a%20b.ts",
                        "uriBaseId": "%SRCROOT%",
                      },
                      "region": {
                        "endLine": 4,
                        "startLine": 3,
                      },
                    },
                  },
                ],
                "message": {
                  "text": "It showed what is outside.",
                },
                "partialFingerprints": {
                  "primaryLocationLineHash": "1d993c073e464fd542b20d2a5412a464",
                },
                "ruleId": "probe/toctou",
                "ruleIndex": 0,
              },
            ],
            "tool": {
              "driver": {
                "name": "ruizn",
                "rules": [
                  {
                    "defaultConfiguration": {
                      "level": "error",
                    },
                    "fullDescription": {
                      "text": "Two names are exchanged while a tool reads.",
                    },
                    "help": {
                      "text": "Report it.",
                    },
                    "id": "probe/toctou",
                    "properties": {
                      "security-severity": "9.5",
                      "tags": [
                        "security",
                        "external/cwe/cwe-367",
                      ],
                    },
                    "shortDescription": {
                      "text": "A race is lost.",
                    },
                  },
                ],
                "semanticVersion": "0.1.0",
              },
            },
          },
        ],
        "version": "2.1.0",
      }
    `);
  });

  it("with no finding still has a list of results, which closes old ones", () => {
    const text = sarifLog(report({ findings: [], rules: [] }));
    expect(sarifProblems(text)).toEqual([]);
    expect(JSON.parse(text).runs[0].results).toEqual([]);
  });

  it("says when the work was not finished, and why", () => {
    const text = sarifLog(report({ successful: false, notes: [{ level: "error", text: "stopped" }] }));
    expect(sarifProblems(text)).toEqual([]);
    expect(JSON.parse(text).runs[0].invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: "error", message: { text: "stopped" } }],
      },
    ]);
  });

  it("never names a file outside of the repository", () => {
    const uris = ["/etc/passwd", "../../x", "a/../../b", "", "./", "a\\b:c?d#e"].map((file) => {
      const log = JSON.parse(sarifLog(report({ findings: [{ ...FINDING, file }] })));
      return log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri as string;
    });
    expect(uris).toEqual(["etc/passwd", "x", "a/b", "unknown", "unknown", "a%5Cb%3Ac%3Fd%23e"]);
  });

  it("has the same fingerprint wherever the lines move", () => {
    const fingerprints = [1, 99].map((start) => {
      const findings = [{ ...FINDING, lines: { start, end: start } }];
      return JSON.parse(sarifLog(report({ findings }))).runs[0].results[0].partialFingerprints;
    });
    expect(fingerprints[0]).toEqual(fingerprints[1]);
  });

  it("is valid whatever the texts are", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, text, (message, file, fingerprint) => {
        const findings = [{ ...FINDING, message, file, fingerprint, suppressed: true }];
        const log = sarifLog(report({ findings, notes: [{ level: "note", text: message }] }));
        expect(sarifProblems(log)).toEqual([]);
        // oxlint-disable-next-line no-control-regex
        expect(log).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("is refused by the schema when it is not one, so that the check can fail", () => {
    expect(sarifProblems(sarifLog(report()).replace('"2.1.0"', '"9.9"'))).not.toEqual([]);
    expect(sarifProblems(sarifLog(report()).replace('"level": "error"', '"level": "bad"'))).not.toEqual([]);
  });
});
