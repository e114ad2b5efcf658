import { lstatSync, readdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Subscriber } from "../events/event-bus.ts";
import type { StampedEvent } from "../events/run-event.ts";
import { Folder } from "../events/run-folder.ts";
import { isTempName } from "../sandbox/guard/temp-name.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";

/** Ends of a call at which its thread may have been in the middle of a write. */
const CUT_OFF: ReadonlySet<string | null> = new Set([
  "cancelled",
  "timeout",
  "worker_crash",
  "memory_limit",
  "interrupted",
]);

/**
 * A write goes to a copy beside the file, which then takes the file's place. A thread or a process that is killed in
 * between leaves the copy: this finds out which calls may have, and takes the copies away.
 */
export class HalfWrites implements Subscriber {
  readonly name = "half-writes";
  readonly #calls = new Map<string, { name: string; input: unknown }>();

  onEvent({ event }: StampedEvent): void {
    if (event.type === "tool_call.started" && event.read_only !== true) {
      this.#calls.set(event.call_id, { name: event.name, input: event.input });
    }
    if (event.type === "tool_call.finished" && !CUT_OFF.has(event.error_type))
      this.#calls.delete(event.call_id);
  }

  /** No call may be under way. What can't be removed stays. */
  remove(root: string, registry: ToolRegistry): void {
    const folders = new Set<string>();
    for (const { name, input } of this.#calls.values()) {
      for (const path of writtenBy(registry, name, input)) folders.add(dirname(path));
    }
    for (const folder of folders) removeIn(root, folder);
  }
}

/** The input is the model's, and was perhaps refused as invalid. */
function writtenBy(registry: ToolRegistry, name: string, input: unknown): string[] {
  try {
    const known = registry.get(name);
    if (!known || known.validate(input) !== undefined) return [];
    return known.tool
      .paths(input as never)
      .filter(({ access }) => access === "write")
      .map(({ path }) => path);
  } catch {
    return [];
  }
}

/** Never through a symbolic link. */
function removeIn(root: string, folder: string): void {
  const open: Folder[] = [];
  try {
    let here = Folder.at(root);
    open.push(here);
    for (const segment of folder.split("/")) {
      if (segment === "" || segment === ".") continue;
      if (segment === "..") return;
      here = here.enter(segment);
      open.push(here);
    }
    for (const name of readdirSync(here.inside("."))) {
      if (isTempName(name) && lstatSync(here.inside(name)).isFile()) unlinkSync(here.inside(name));
    }
  } catch {
    // The folder is not there, or not ours to clean.
  } finally {
    for (const one of open) one.close();
  }
}
