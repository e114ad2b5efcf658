import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { makeCanaryFolder } from "../canary.ts";
import type { WorkerSetup } from "../protocol.ts";
import { HostCell } from "./host-cell.ts";
import type { HostOptions } from "./host-setup.ts";

/**
 * A host that is launched before it is known what the run needs: with the profile that every run begins with, and the
 * workspace as it most likely is. It seals itself with these; a run that turns out to need another one ends it.
 */
export class HostAhead {
  readonly #options: HostOptions;
  #canaryFolder: string | undefined;
  readonly #ended = new AbortController();
  #starting: Promise<HostCell> | undefined;

  /** @throws when there is no folder for the canary of its self-check */
  constructor({ root, seal }: Pick<WorkerSetup, "root" | "seal">) {
    const canaryFolder = makeCanaryFolder([root]);
    this.#canaryFolder = canaryFolder;
    const worker: WorkerSetup = { root, seal, switches: {}, profile: "read", readPaths: [] };
    this.#options = { worker, sharedThread: true, permitted: [canaryFolder] };
    this.#starting = HostCell.start(this.#options, this.#ended.signal);
    this.#starting.catch(() => {});
  }

  /**
   * Where the canary has to be for this host's self-check: the caller's from now on, to be removed. Undefined when the
   * host is for another workspace.
   */
  takeCanaryFolder(root: string): string | undefined {
    if (root !== this.#options.worker.root) return undefined;
    const folder = this.#canaryFolder;
    this.#canaryFolder = undefined;
    return folder;
  }

  /** Gives the host away. Undefined when it is not the one that is needed: then it is ended. */
  take(options: HostOptions): Promise<HostCell> | undefined {
    const starting = this.#starting;
    if (starting && isDeepStrictEqual(options, this.#options)) {
      this.#starting = undefined;
      return starting;
    }
    void this.retire();
    return undefined;
  }

  /** Ends it, whoever has it. Resolves when it is gone, or after half a second. Never throws. */
  async retire(): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    this.#ended.abort();
    if (this.#canaryFolder !== undefined) rmSync(this.#canaryFolder, { recursive: true, force: true });
    await starting?.then(
      (cell) => cell.retire(),
      () => {},
    );
  }
}
