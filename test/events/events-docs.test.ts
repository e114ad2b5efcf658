import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RUN_EVENT_TYPES } from "../../src/events/event-shapes.ts";
import * as events from "../../src/events/run-event.ts";

const EVENTS = new URL("../../src/events/", import.meta.url);
const DOCS = new URL("../../docs/events.md", import.meta.url);

/** Rows of the table: type → class and fields. */
function documented(): Record<string, { class: string; fields: string[] }> {
  const rows = readFileSync(DOCS, "utf8").matchAll(/^\| `([a-z_.]+\.[a-z_]+)` \| (\w+) \|.*\| (.*) \|$/gm);
  return Object.fromEntries(
    [...rows].map(([, type = "", name = "", fields = ""]) => [
      type,
      { class: name, fields: [...fields.matchAll(/`(\w+)`/g)].map((match) => match[1] as string) },
    ]),
  );
}

/** The same from the source: classes, and the keys of the interface that each takes. */
function declared(): Record<string, { class: string; fields: string[] }> {
  const source = readdirSync(EVENTS)
    .filter((name) => name.endsWith("-events.ts"))
    .map((name) => readFileSync(new URL(name, EVENTS), "utf8"))
    .join("\n");
  const classes = source.matchAll(
    /export class (\w+) extends EventBase<(\w+)> \{\s*readonly type = "([^"]+)"/g,
  );
  return Object.fromEntries(
    [...classes].map(([, name = "", fields = "", type = ""]) => [
      type,
      { class: name, fields: keysOf(source, fields) },
    ]),
  );
}

function keysOf(source: string, name: string): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, "s").exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map((match) => match[1] as string);
}

describe("docs/events.md", () => {
  it("has a row for every event, with its class and all its fields in order", () => {
    expect(documented()).toEqual(declared());
  });

  it("has the types that the readers know", () => {
    expect(Object.keys(documented()).toSorted()).toEqual([...RUN_EVENT_TYPES].toSorted());
  });

  it("names types after classes", () => {
    for (const [type, { class: name }] of Object.entries(documented())) {
      const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
      expect(`${words.join("")}Event`).toBe(name);
      expect(events).toHaveProperty(name);
    }
  });

  it("names no field that the log itself writes on every line", () => {
    const taken = ["v", "seq", "ts", "run_id", "prev", "type", "log_seal"];
    const used = Object.values(documented()).flatMap(({ fields }) => fields);
    expect(used.filter((field) => taken.includes(field))).toEqual([]);
  });
});
