import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HttpHeaders } from "../../src/provider/anthropic/http-headers.ts";

const NAMES = fc.constantFrom("a", "A", "x-b", "X-B", "content-type");
const VALUES = fc.constantFrom("", "1", " 1\t", "a b", "a\r\n", "\n");

/** One thing done to a set of headers, the same on ours and on Node's. */
const STEPS = fc.array(
  fc.record({ method: fc.constantFrom("set", "append", "delete"), name: NAMES, value: VALUES }),
);

describe("headers", () => {
  it("hold what Node's own Headers hold, in whatever order they were given", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(NAMES, VALUES)), STEPS, (pairs, steps) => {
        const ours = new HttpHeaders(pairs);
        const nodes = new Headers(pairs);
        for (const headers of [ours, nodes]) for (const step of steps) apply(headers, step);
        expect([...ours].toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([...nodes]);
        expect([ours.get("A"), ours.has("X-b")]).toEqual([nodes.get("A"), nodes.has("X-b")]);
      }),
    );
  });

  it("are made from an object, from pairs and from other headers", () => {
    const whole = [["a", "1"]];
    expect([...new HttpHeaders({ A: "1" })]).toEqual(whole);
    expect([...new HttpHeaders(new Headers({ a: "1" }))]).toEqual(whole);
    expect([...new HttpHeaders(new HttpHeaders([["a", "1"]]))]).toEqual(whole);
  });
});

function apply(
  headers: HttpHeaders | Headers,
  { method, name, value }: { method: string; name: string; value: string },
): void {
  if (method === "delete") headers.delete(name);
  else if (method === "set") headers.set(name, value);
  else headers.append(name, value);
}
