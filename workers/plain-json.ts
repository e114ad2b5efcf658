/** Something that cannot leave the worker as plain JSON within the limits. */
export class NotPlain extends Error {
  override readonly name = "NotPlain";
}

export interface PlainLimits {
  nodes: number;
  depth: number;
  chars: number;
}

type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

const { isArray } = Array;
const { keys } = Object;
const { isFinite } = Number;

/**
 * Copies a value into plain JSON: no getter, proxy, `toJSON`, cycle or shared memory is left in it, every string is
 * well-formed, and its size is bounded while it is copied. What JSON does not know (functions, symbols) is left out.
 * @throws NotPlain beyond a limit; whatever a getter throws.
 */
export function toPlainJson(value: unknown, limits: PlainLimits): Plain {
  return new Copier(limits).copy(value, 0) ?? null;
}

class Copier {
  readonly #limits: PlainLimits;
  #nodes = 0;
  #chars = 0;

  constructor(limits: PlainLimits) {
    this.#limits = limits;
  }

  copy(value: unknown, depth: number): Plain | undefined {
    this.#count(depth);
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        return isFinite(value) ? value : null;
      case "boolean":
        return value;
      case "bigint":
        return this.#text(`${value}`);
      case "object":
        if (value === null) return null;
        return isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
      case "undefined":
      case "function":
      case "symbol":
        return undefined;
    }
  }

  #array(value: unknown[], depth: number): Plain[] {
    const copied: Plain[] = [];
    const { length } = value;
    for (let index = 0; index < length; index++) copied[index] = this.copy(value[index], depth + 1) ?? null;
    return copied;
  }

  #object(value: object, depth: number): Plain {
    // Without a prototype, a key named __proto__ is a key like any other.
    const copied = Object.create(null) as { [key: string]: Plain };
    for (const key of keys(value)) {
      const plain = this.copy((value as Record<string, unknown>)[key], depth + 1);
      if (plain !== undefined) copied[this.#text(key)] = plain;
    }
    return copied;
  }

  #text(text: string): string {
    this.#chars += text.length;
    if (this.#chars > this.#limits.chars) throw new NotPlain(`more than ${this.#limits.chars} characters`);
    return text.toWellFormed();
  }

  #count(depth: number): void {
    if (depth > this.#limits.depth) throw new NotPlain(`nested more than ${this.#limits.depth} levels deep`);
    if (++this.#nodes > this.#limits.nodes) throw new NotPlain(`more than ${this.#limits.nodes} values`);
  }
}
