import type { FromSchema } from "json-schema-to-ts";
import { BaseTool } from "../base-tool.ts";

const LINE = { type: "integer", minimum: 1 } as const;
const text = (maxLength: number, description: string) =>
  ({ type: "string", minLength: 3, maxLength, description }) as const;

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: [
    "file",
    "line",
    "end_line",
    "severity",
    "confidence",
    "category",
    "cwe",
    "title",
    "description",
    "recommendation",
    "evidence",
  ],
  properties: {
    file: { type: "string", minLength: 1, description: "One of the files under review, as it was named." },
    line: { ...LINE, description: "First line of the code that is wrong; the first of a file is 1." },
    end_line: { ...LINE, description: "Last line of it; the same for a single line." },
    severity: { type: "string", enum: ["low", "medium", "high", "critical"] },
    confidence: { type: "string", enum: ["low", "medium", "high"] },
    category: { type: "string", pattern: "^[a-z][a-z-]{2,39}$", description: "Such as sql-injection." },
    cwe: { type: "string", pattern: "^CWE-[1-9][0-9]{0,4}$", description: "Such as CWE-89." },
    title: text(200, "What is wrong, in one line."),
    description: text(4_000, "Why it is wrong, and how a hostile value gets there."),
    exploit_scenario: text(4_000, "What an attacker does, step by step."),
    recommendation: text(4_000, "What to do about it."),
    evidence: text(2_000, "The code itself, copied from these lines, without anything left out."),
  },
} as const;

export type ReportedFinding = FromSchema<typeof SCHEMA>;

/** How findings of a model come in. Each is checked against the code and the log before it counts. */
export class ReportFindingTool extends BaseTool<typeof SCHEMA> {
  readonly name = "report_finding";
  readonly description =
    "Reports one security finding in the code under review. It counts only when the file is under review, you have " +
    "read these lines in this run, and the evidence stands in them; otherwise the answer says what is wrong.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "report_finding";
}
