import type { LogEnd } from "../events/event-writer.ts";

/** Every way a log can be less than whole. A closed set: one row each in docs/log.md. */
export const LOG_PROBLEM_KINDS = [
  "torn",
  "altered",
  "cut",
  "reordered",
  "appended",
  "blob_missing",
  "blob_altered",
  "unsealed",
] as const;

export type LogProblemKind = (typeof LOG_PROBLEM_KINDS)[number];

export interface LogProblem {
  kind: LogProblemKind;
  /** Line of events.jsonl, from 1. */
  line: number;
  message: string;
}

/** What verification found out about one run's log. */
export interface LogReport {
  path: string;
  runId: string | undefined;
  /** No problem at all: every event is there, unaltered and in order, and `run.finished` seals them. */
  whole: boolean;
  /** By line. At most `PROBLEMS_MAX`; `problemCount` is how many there are. */
  problems: LogProblem[];
  problemCount: number;
  /** Where the last whole line ends. `head` written down elsewhere proves later that this very log is meant. */
  end: LogEnd;
  /** `seq` of the next event, when the run goes on. */
  nextSeq: number;
  /** Bytes of a torn last line. */
  tornBytes: number;
}

export const PROBLEMS_MAX = 100;
