import { RuiZNError } from "../errors.ts";
import { markerOf, type Pattern, valuePattern } from "./pattern.ts";
import { PatternIndex } from "./pattern-index.ts";
import { REDACTION_RULES } from "./rules.ts";
import { TextRedactor } from "./text-redactor.ts";

/** A value that must not leave the process, under the name that stands in its place. */
export interface Secret {
  name: string;
  value: string;
}

export interface RedactorOptions {
  secrets?: readonly Secret[];
  /** Texts that were planted to see whether they turn up: whoever shows one has read what it must not. */
  canaries?: readonly string[];
  /** Told of the first canary that turns up, by its number from 1. */
  onCanary?: (number: number) => void;
}

/** Shorter ones would be found in ordinary words. */
const VALUE_MIN_CHARS = 8;
const CANARY = "canary-";
/** Deeper than anything that a tool or a model has a reason to send. */
const DEPTH_MAX = 200;

/** Replaces secrets in whatever leaves the process: known values, and what has the form of a key. */
export class Redactor {
  readonly #index: PatternIndex;
  readonly #whole: TextRedactor;
  readonly #onCanary: (number: number) => void;
  readonly #markers: ReadonlySet<string>;
  /** What has been through already, or came out: so that an event need not be searched after its parts. */
  readonly #clean = new WeakSet<object>();
  #canarySeen = false;

  /** @throws RuiZNError settings_invalid for a canary that is too short to be one */
  constructor({ secrets = [], canaries = [], onCanary = () => {} }: RedactorOptions = {}) {
    const short = canaries.findIndex((canary) => canary.length < VALUE_MIN_CHARS);
    if (short >= 0) {
      throw new RuiZNError(
        "settings_invalid",
        `canary ${short + 1} has fewer than ${VALUE_MIN_CHARS} characters`,
        {
          hint: "a canary is a long random text that nothing else contains",
        },
      );
    }
    const patterns = [
      ...canaries.flatMap((value, at) => spellings(`${CANARY}${at + 1}`, value)),
      ...secrets.flatMap(({ name, value }) => (value.length < VALUE_MIN_CHARS ? [] : spellings(name, value))),
      ...REDACTION_RULES.map(({ pattern }) => pattern),
    ];
    this.#index = new PatternIndex(patterns);
    this.#markers = new Set(patterns.map(({ rule }) => markerOf(rule)));
    this.#onCanary = onCanary;
    this.#whole = this.stream();
  }

  /** For one text that comes in pieces. */
  stream(): TextRedactor {
    return new TextRedactor(this.#index, (pattern) => this.#found(pattern));
  }

  text(text: string): string {
    return this.#whole.whole(text);
  }

  /** Every string in plain JSON, keys of objects included. What holds no secret is given back as it is. */
  value<T>(value: T): T {
    const result = this.#walk(value, 0) as T;
    this.trust(result);
    return result;
  }

  /** Marks what has no secret in it, so that it is not searched again as part of something larger. */
  trust(value: unknown): void {
    if (typeof value === "object" && value !== null) this.#clean.add(value);
  }

  /** Whether a text holds a marker: what stood there was not shown, and whoever writes the text back destroys it. */
  holdsMarker(value: unknown): boolean {
    const json = JSON.stringify(value) ?? "";
    for (let at = json.indexOf("[redacted:"); at >= 0; at = json.indexOf("[redacted:", at + 1)) {
      if (this.#markers.has(json.slice(at, json.indexOf("]", at) + 1))) return true;
    }
    return false;
  }

  #walk(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null || this.#clean.has(value)) return value;
    if (depth > DEPTH_MAX) return markerOf("nested-too-deeply");
    if (isImageData(value)) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#walk(item, depth + 1));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    let changed = false;
    const entries = Object.entries(value).map(([key, item]) => {
      const entry = [this.text(key), this.#walk(item, depth + 1)] as const;
      changed ||= entry[0] !== key || entry[1] !== item;
      return entry;
    });
    return changed ? Object.fromEntries(entries) : value;
  }

  #found({ rule }: Pattern): void {
    if (this.#canarySeen || !rule.startsWith(CANARY)) return;
    this.#canarySeen = true;
    this.#onCanary(Number(rule.slice(CANARY.length)));
  }
}

/** Base64 of pixels: nothing in it is text, and a chance hit would break the picture. */
function isImageData(value: object): boolean {
  const { type, media_type, data, ...rest } = value as Record<string, unknown>;
  const isImage = type === "base64" && typeof media_type === "string" && /^image\/[a-z]+$/.test(media_type);
  return isImage && typeof data === "string" && Object.keys(rest).length === 0;
}

/** A value as it stands, as JSON writes it, as a URL does, and in base64. */
function spellings(name: string, value: string): Pattern[] {
  const base64 = Buffer.from(value).toString("base64");
  const all = new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    // Its last letter depends on what follows.
    base64.replace(/.?=+$/, ""),
  ]);
  return [...all].map((spelling) => valuePattern(name, spelling));
}
