type HeadersSource = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/**
 * The Headers class as far as the SDK and our fetch use it. Node's own comes with a whole HTTP client, whose loading
 * costs a short run a tenth of its CPU. Names and values are checked by node:http when they are sent.
 */
export class HttpHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  constructor(source: HeadersSource = []) {
    const pairs = Symbol.iterator in source ? source : Object.entries(source);
    for (const [name, value] of pairs as Iterable<readonly [string, string]>) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), trimmed(value));
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    if (before === null) this.set(name, value);
    else this.#values.set(name.toLowerCase(), `${before}, ${trimmed(value)}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

/** As everywhere in HTTP: white space around a value is not part of it. */
function trimmed(value: string): string {
  return String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
}
