import { isDeepStrictEqual } from "node:util";
import { eventsOf, readEvents } from "../events/event-reader.ts";
import type { RunStartedEvent } from "../events/run-event.ts";
import type { Message } from "../messages.ts";
import { rebuild } from "./rebuild.ts";

/** One thing that is not the same in two runs; undefined where one of them has nothing. */
export interface Difference {
  what: string;
  one: unknown;
  other: unknown;
}

export interface RunDifference {
  /** What the runs began with: goal, model, system prompt and so on. */
  conditions: Difference[];
  /** The first thing said in the conversation that differs; undefined when all of it is the same. */
  parted: (Difference & { step: number }) | undefined;
}

const CONDITIONS = ["goal", "provider", "model", "system", "tools", "limits", "policy_hash"] as const;

/**
 * Finds where two runs parted: in what they began with, and in what was said first that differs. Ids of tool uses and
 * signatures of thinking are new in every run and so not compared.
 * @throws RuiZNError input_invalid when a log can't be read or does not fit together
 */
export function diffRuns(onePath: string, otherPath: string): RunDifference {
  const [one, other] = [onePath, otherPath].map((path) => rebuild(eventsOf(readEvents(path))));
  if (!one || !other) throw new TypeError("two runs are compared");
  return {
    conditions: conditionsOf(one.started, other.started),
    parted: firstDifference(one.context.messages, other.context.messages),
  };
}

function conditionsOf(one: RunStartedEvent, other: RunStartedEvent): Difference[] {
  return CONDITIONS.filter((name) => !isDeepStrictEqual(one[name], other[name])).map((what) => ({
    what,
    one: one[what],
    other: other[what],
  }));
}

function firstDifference(one: readonly Message[], other: readonly Message[]): RunDifference["parted"] {
  const [mine, theirs] = [one, other].map(saidIn);
  if (!mine || !theirs) return undefined;
  for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
    const [a, b] = [mine[at], theirs[at]];
    if (isDeepStrictEqual(a?.said, b?.said)) continue;
    const { what, step } = a ?? b ?? { what: "", step: 0 };
    return { what, step, one: a?.said, other: b?.said };
  }
  return undefined;
}

interface Said {
  step: number;
  what: string;
  said: unknown;
}

function saidIn(messages: readonly Message[]): Said[] {
  // Ids in the order of their first mention, so that the same calls have the same number in both runs.
  const ids = new Map<string, number>();
  let step = 0;
  return messages.flatMap(({ role, content }) => {
    if (role === "assistant") step += 1;
    return content.map((block) => {
      const { id, tool_use_id, signature: _signature, ...said } = block as unknown as Record<string, unknown>;
      const key = id ?? tool_use_id;
      const number = typeof key === "string" ? (ids.get(key) ?? ids.size + 1) : undefined;
      if (typeof key === "string" && number !== undefined) ids.set(key, number);
      return { step, what: `${role} ${block.type}`, said: { ...said, role, call: number } };
    });
  });
}
