/** The sha256 that read_file gave with a file it read whole. */
export const EXPECTED_SHA256 = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  description:
    "The sha256 that read_file gave for the file: refuses to write when it has changed since then.",
} as const;
