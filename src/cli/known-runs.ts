import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./options.ts";

/**
 * Remembers outside every workspace which runs were made here by this user: a checkout can bring a log along that
 * nobody here has ever run, and going on with one means to do what it says.
 */
export class KnownRuns {
  readonly #folder: string | undefined;

  constructor(env: Environment) {
    const xdg = env["XDG_STATE_HOME"] ?? "";
    const home = env["HOME"] ?? "";
    // A home that is not there is not made: a service's user may have none.
    const state = isAbsolute(xdg)
      ? xdg
      : isAbsolute(home) && existsSync(home)
        ? join(home, ".local/state")
        : "";
    this.#folder = state === "" ? undefined : join(state, "ruizn", "runs");
  }

  /** Where nothing can be kept, the run can later be gone on with in a trusted workspace alone. */
  remember(runId: string, workspace: string): void {
    if (this.#folder === undefined) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, runId), workspace, { flag: "wx", mode: 0o600 });
    } catch {
      // Not to be able to go on with a run is no reason not to run it.
    }
  }

  has(runId: string, workspace: string): boolean {
    try {
      return this.#folder !== undefined && readFileSync(join(this.#folder, runId), "utf8") === workspace;
    } catch {
      return false;
    }
  }
}
