import { type CharSet, charSet, has, run } from "./char-set.ts";

/** What a pattern says about a place: so many characters belong to a secret; none do; or the text ends too early. */
type Verdict = number | "no" | "more";

/** Takes the rest of a secret whose beginning is already certain. */
export interface Swallow {
  /** @returns where the secret ends; `done` is false when it may go on behind the end of the text. */
  take(text: string, at: number): { end: number; done: boolean };
}

/** One kind of secret. Everything here takes time linear in the text that it looks at. */
export interface Pattern {
  rule: string;
  /** Each secret of this kind begins with one of these, two characters at least. */
  starts: readonly string[];
  /** Whether no letter or digit may stand before it. */
  boundary: boolean;
  /** What stands in its place. */
  marker: string;
  /** `at` is where `start`, which is there, begins. `more` only while `final` is false. */
  judge(text: string, at: number, start: string, final: boolean): Verdict;
  swallow?: () => Swallow;
}

export function markerOf(rule: string): string {
  return `[redacted:${rule}]`;
}

/** A value known in full. */
export function valuePattern(rule: string, value: string): Pattern {
  return {
    rule,
    starts: [value],
    boundary: false,
    marker: markerOf(rule),
    judge: (_text, _at, start) => start.length,
  };
}

export interface TokenShape {
  rule: string;
  starts: readonly string[];
  /** What follows the beginning, at least `min` and at most `max` of them; more than `max` are another thing. */
  body: CharSet;
  min: number;
  max?: number;
  /** Whether the beginning is no part of the secret and stays. */
  keepStart?: boolean;
}

/** A fixed beginning and then a run of characters of one kind. */
export function tokenPattern(shape: TokenShape): Pattern {
  const { rule, starts, body, min, max, keepStart = false } = shape;
  return {
    rule,
    starts,
    boundary: /^[A-Za-z0-9]/.test(starts[0] ?? ""),
    marker: (keepStart ? (starts[0] ?? "") : "") + markerOf(rule),
    judge(text, at, start, final) {
      const from = at + start.length;
      const most = max === undefined ? min : max + 1;
      const length = run(body, text, { at: from, most });
      const open = from + length === text.length && length < most && !final;
      if (open) return "more";
      return length >= min && length <= (max ?? length) ? start.length + length : "no";
    },
    swallow: () => new RunSwallow(body),
  };
}

const ASSIGNS = charSet("\t \"'=:>\\");
const ASSIGNS_MAX = 8;

/** A name, a sign that gives it a value, and a value of exactly so many characters of one kind. */
export function assignedPattern(shape: {
  rule: string;
  starts: readonly string[];
  body: CharSet;
  length: number;
}): Pattern {
  const { rule, starts, body, length } = shape;
  return {
    rule,
    starts,
    boundary: true,
    marker: markerOf(rule),
    judge(text, at, start, final) {
      const more: Verdict = final ? "no" : "more";
      const sign = at + start.length;
      const value = sign + run(ASSIGNS, text, { at: sign, most: ASSIGNS_MAX });
      const end = value + run(body, text, { at: value, most: length + 1 });
      if (end === text.length && end - value < length + 1 && value - sign < ASSIGNS_MAX && !final)
        return more;
      return value > sign && end - value === length ? end - at : "no";
    },
  };
}

class RunSwallow implements Swallow {
  readonly #body: CharSet;

  constructor(body: CharSet) {
    this.#body = body;
  }

  take(text: string, at: number): { end: number; done: boolean } {
    const end = at + run(this.#body, text, { at, most: Number.POSITIVE_INFINITY });
    return { end, done: end < text.length };
  }
}

const USER = charSet("!$-.0-9;=A-Z_a-z~%");
const PASSWORD = charSet("!$-.0-9:;=A-Z[-_a-~%");
const USER_MAX = 64;
const PASSWORD_MAX = 256;

/** `scheme://user:password@`. A password that is a placeholder (`${…}`, `<…>`, `***`) is none. */
export function urlPasswordPattern(rule: string): Pattern {
  return {
    rule,
    starts: ["://"],
    boundary: false,
    marker: `://${markerOf(rule)}@`,
    judge(text, at, start, final) {
      const more: Verdict = final ? "no" : "more";
      const user = at + start.length;
      const colon = user + run(USER, text, { at: user, most: USER_MAX });
      if (colon === text.length) return more;
      if (text[colon] !== ":") return "no";
      const password = colon + 1;
      if (password === text.length) return more;
      if (/[${*[<]/.test(text[password] ?? "")) return "no";
      const sign = password + run(PASSWORD, text, { at: password, most: PASSWORD_MAX });
      if (sign === text.length) return more;
      return text[sign] === "@" && sign - password >= 3 ? sign + 1 - at : "no";
    },
  };
}

const BASE64 = charSet("A-Za-z0-9+/=");
/** What may stand in a key: base64, header lines, line breaks as such or escaped, line numbers, quotes. */
const KEY_TEXT = charSet("A-Za-z0-9+/=\t\n\r \\:,.|\"'>-");
const KEY_HEAD_MAX = 64;
const KEY_LOOK_MAX = 400;
const KEY_LINE_MIN = 32;
const KEY_MAX = 16_384;

/** A PEM or PGP private key. The header alone, as in source code or prose, is no key. */
export function privateKeyPattern(rule: string): Pattern {
  return {
    rule,
    starts: ["-----BEGIN "],
    boundary: false,
    marker: markerOf(rule),
    judge(text, at, start, final) {
      const more: Verdict = final ? "no" : "more";
      const head = text.slice(at + start.length, at + start.length + KEY_HEAD_MAX);
      const found = /^[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/.exec(head);
      if (!found) return head.length < KEY_HEAD_MAX && /^[A-Z0-9 -]*$/.test(head) ? more : "no";
      const from = at + start.length + found[0].length;
      const end = Math.min(text.length, from + KEY_LOOK_MAX);
      let line = 0;
      for (let here = from; here < end; here++) {
        const code = text.charCodeAt(here);
        if (!has(KEY_TEXT, code)) return "no";
        line = has(BASE64, code) ? line + 1 : 0;
        if (line === KEY_LINE_MIN) return here + 1 - at;
      }
      return end === text.length ? more : "no";
    },
    swallow: () => new KeySwallow(),
  };
}

/** To the dashes that close the END line, or as far as it looks like a key. */
class KeySwallow implements Swallow {
  #dashes = 0;
  #dashRuns = 0;
  #taken = 0;

  take(text: string, at: number): { end: number; done: boolean } {
    for (let here = at; here < text.length; here++) {
      const code = text.charCodeAt(here);
      if (!has(KEY_TEXT, code) || ++this.#taken > KEY_MAX) return { end: here, done: true };
      this.#dashes = code === 0x2d ? this.#dashes + 1 : 0;
      if (this.#dashes === 5 && ++this.#dashRuns === 2) return { end: here + 1, done: true };
    }
    return { end: text.length, done: false };
  }
}
