import { RE2JS, RE2JSException } from "re2js";
import { ToolFailure } from "../tool-body.ts";
import { requiredLiteral } from "./required-literal.ts";

export interface PatternOptions {
  literal: boolean;
  word: boolean;
  case: "sensitive" | "insensitive" | "smart";
}

/** Anchors of the whole text, and flags that change what `^` and `$` mean: they differ between a file and a line. */
const MEANS_WHOLE_TEXT = /\\[AzZ]|\(\?[a-zA-Z]*[m-]/;

/** A pattern in linear time: neither a hostile pattern nor a hostile text can make it explode. */
export class LineMatcher {
  readonly #regex: RE2JS;
  readonly #wholeTextFirst: boolean;
  /** Bytes that every matching text holds; undefined when there are none to look for. */
  readonly #literal: Buffer | undefined;

  /** @throws ToolFailure invalid_input, in RE2's own words, for look-around, back-references and mistakes. */
  constructor(pattern: string, options: PatternOptions) {
    const folds = options.case === "insensitive" || (options.case === "smart" && !/\p{Lu}/u.test(pattern));
    const source = options.literal ? RE2JS.quote(pattern) : pattern;
    this.#regex = compile(options.word ? `\\b(?:${source})\\b` : source, folds);
    this.#wholeTextFirst = options.literal || !MEANS_WHOLE_TEXT.test(pattern);
    const literal = folds ? "" : options.literal ? pattern : requiredLiteral(pattern);
    // A line never holds a newline, and a lone surrogate has no bytes to look for.
    this.#literal = /^[^\n\r\p{Surrogate}]+$/u.test(literal) ? Buffer.from(literal) : undefined;
  }

  /** False when certainly no line matches: told from the bytes alone, before they are made into text. */
  mayMatchBytes(bytes: Buffer): boolean {
    return this.#literal === undefined || bytes.includes(this.#literal);
  }

  /** False when certainly no line of the text matches. */
  mayMatchText(text: string): boolean {
    return !this.#wholeTextFirst || this.#regex.test(text);
  }

  matches(line: string): boolean {
    return this.#regex.test(line);
  }

  /** Where the first match of a matching line begins. */
  indexIn(line: string): number {
    const matcher = this.#regex.matcher(line);
    return matcher.find() ? matcher.start() : 0;
  }
}

function compile(source: string, folds: boolean): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.MULTILINE | (folds ? RE2JS.CASE_INSENSITIVE : 0));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ToolFailure(
      "invalid_input",
      `${error.message}; the syntax is RE2's, without look-around and back-references (literal: true takes the pattern as plain text)`,
    );
  }
}
