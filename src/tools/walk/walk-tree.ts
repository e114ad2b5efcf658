import type {
  DirectoryEntry,
  OpenedDirectory,
  OpenedFile,
  Workspace,
} from "../../sandbox/guard/workspace.ts";
import { ToolFailure } from "../tool-body.ts";
import { IGNORE_FILE_NAMES, type IgnoreRules } from "./ignore-rules.ts";
import { newWalkReport, type WalkReport } from "./walk-report.ts";

/** Every open directory on the way down holds a descriptor. */
const DEPTH_MAX = 100;

export interface Found<State> {
  /** From the workspace's root. */
  path: string;
  name: string;
  kind: DirectoryEntry["kind"];
  /** Where it lies: open until the visit returns. */
  directory: OpenedDirectory;
  /** 1 for what lies in the directory where the walk began. */
  depth: number;
  state: State;
}

/** `shown`: something of it is in the result. `stop`: the result is full. */
export type Visited = "shown" | "passed" | "stop";

export interface WalkOptions<State> {
  workspace: Workspace;
  start: OpenedDirectory;
  /** What is known at the start; each directory hands on what `enter` returns. */
  state: State;
  /** Undefined: ignore files are not obeyed. */
  rules: IgnoreRules | undefined;
  /** Look at names that begin with a dot. */
  hidden: boolean;
  maxDepth?: number;
  /** Told of every entry that is neither hidden nor ignored; of a directory before it is entered. */
  visit(found: Found<State>, report: WalkReport): Visited;
  /** The state for what lies in a directory, or undefined when there is no need to look. */
  enter(found: Found<State>): State | undefined;
}

/**
 * Goes through a tree, directory by directory, names in code-unit order. Symbolic links are visited and never
 * followed, so each real directory is read once. `.git` is never entered. Directories of which nothing is shown
 * leave no evidence.
 */
export function walkTree<State>(options: WalkOptions<State>): WalkReport {
  const walk = new Walk(options);
  walk.directory(options.start, { state: options.state, depth: 1, rules: options.rules });
  return walk.report;
}

/** Opens what was found; undefined when it can't be opened, which the report then counts. */
export function openFound(
  found: Pick<Found<unknown>, "directory" | "name">,
  workspace: Workspace,
  report: WalkReport,
): OpenedFile | OpenedDirectory | undefined {
  try {
    return workspace.openEntry(found.directory, found.name);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    if (error.errorType === "output_limit") report.evidenceFull = true;
    else report.refused += 1;
    return undefined;
  }
}

interface Place<State> {
  state: State;
  depth: number;
  rules: IgnoreRules | undefined;
}

class Walk<State> {
  readonly report = newWalkReport();
  readonly #options: WalkOptions<State>;
  readonly #maxDepth: number;

  constructor(options: WalkOptions<State>) {
    this.#options = options;
    this.#maxDepth = Math.min(options.maxDepth ?? DEPTH_MAX, DEPTH_MAX);
  }

  directory(directory: OpenedDirectory, at: Place<State>): Visited {
    const { entries, truncated } = directory.entries();
    if (truncated) this.report.cutDirectories += 1;
    const rules = at.rules?.within(this.#options.workspace, directory, ignoreFilesIn(entries));
    const prefix = directory.path === "." ? "" : `${directory.path}/`;
    let shown = false;
    for (const { name, kind } of entries) {
      if (!this.#options.hidden && name.startsWith(".")) continue;
      const path = prefix + name;
      if (rules?.ignores(path, name, kind === "directory")) {
        this.report.ignored += 1;
        continue;
      }
      const visited = this.#found({ path, name, kind, directory, depth: at.depth, state: at.state }, rules);
      if (visited === "stop") return visited;
      if (visited === "shown") shown = true;
    }
    return shown ? "shown" : "passed";
  }

  #found(found: Found<State>, rules: IgnoreRules | undefined): Visited {
    const visited = this.#options.visit(found, this.report);
    if (visited === "stop" || found.kind !== "directory" || found.name === ".git") return visited;
    const state = this.#options.enter(found);
    if (state === undefined) return visited;
    if (found.depth >= this.#maxDepth) {
      this.report.tooDeep += 1;
      return visited;
    }
    const below = this.#below(found, { state, depth: found.depth + 1, rules });
    return below === "passed" ? visited : below;
  }

  #below(found: Found<State>, at: Place<State>): Visited {
    const opened = openFound(found, this.#options.workspace, this.report);
    if (!opened) return this.report.evidenceFull ? "stop" : "passed";
    // Between the listing and the opening it may have become something else.
    const visited = opened.kind === "directory" ? this.#within(opened, at) : "passed";
    if (visited === "passed") opened.discard();
    else opened.close();
    return visited;
  }

  #within(directory: OpenedDirectory, at: Place<State>): Visited {
    try {
      return this.directory(directory, at);
    } catch (error) {
      directory.close();
      throw error;
    }
  }
}

function ignoreFilesIn(entries: readonly DirectoryEntry[]): string[] {
  return IGNORE_FILE_NAMES.filter((name) =>
    entries.some((entry) => entry.name === name && entry.kind === "file"),
  );
}
