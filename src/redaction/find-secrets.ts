import { PatternIndex } from "./pattern-index.ts";
import { REDACTION_RULES } from "./rules.ts";
import { TextRedactor } from "./text-redactor.ts";

export interface FoundSecret {
  /** Which kind of secret: `github-token`. */
  rule: string;
  /** Where it begins in the text, and how much of it was needed to know it, in UTF-16 units. */
  at: number;
  length: number;
}

const INDEX = new PatternIndex(REDACTION_RULES.map(({ pattern }) => pattern));

/** What in a text has the form of a secret, and the text without it. */
export function findSecrets(text: string): { found: FoundSecret[]; redacted: string } {
  const found: FoundSecret[] = [];
  const redactor = new TextRedactor(INDEX, ({ rule }, at, length) => found.push({ rule, at, length }));
  return { redacted: redactor.whole(text), found };
}
