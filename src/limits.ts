/** Limits that main thread and worker must agree on. Every name carries its unit. */
export const LIMITS = {
  /** The ceiling of what a read tool takes from one file, whatever is asked for. */
  readMaxBytes: 524_288,
  /** What a read shows the model when nothing else is asked for (and `max_bytes` is not given). */
  readDefaultBytes: 51_200,
  readDefaultLines: 2_000,
  /** All content blocks of one result together: texts as UTF-8 and as JSON, images as base64. */
  resultMaxBytes: 1_048_576,
  /** The part of a reply that is JSON: shape, data and evidence. */
  replyHeadMaxBytes: 262_144,
  /** What a call may leave as evidence, so that it fits into the head beside shape and data. */
  evidenceMaxBytes: 196_608,
  /** Entries taken from one directory before sorting. */
  directoryMaxEntries: 100_000,
  /** A tool's input as JSON text. */
  inputMaxBytes: 1_048_576,
  pathMaxBytes: 4_095,
  pathSegmentMaxBytes: 255,
  symlinkMaxHops: 40,
  toolTimeoutMs: 10_000,
  maxSteps: 50,
  /** resourceLimits of a worker thread. */
  workerHeapMb: 256,
  workerYoungHeapMb: 32,
  workerStackMb: 4,
  /** How far a tool host's private, writable memory may grow (RLIMIT_DATA), whatever the memory watch sees. */
  hostGrowthMaxBytes: 805_306_368,
  /** How far the process may grow during a call before the memory watch ends the call. */
  memoryGrowthMaxBytes: 402_653_184,
  /** What is kept of a worker's own stdout and stderr. */
  workerOutputMaxBytes: 16_384,
  /** One line that a tool says while it works, in UTF-16 units. */
  noteMaxChars: 500,
} as const;
