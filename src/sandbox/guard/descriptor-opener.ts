import { chmodSync, closeSync, fchmodSync, openSync, readlinkSync } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { errnoOf, isNodesRefusal, openFailure, symlinkRefused } from "./open-failure.ts";
import { DIRECTORY_PLACE_FLAGS, NOFOLLOW, OPENAT2_FLAGS, READ_FLAGS } from "./open-flags.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { shown } from "./path-text.ts";
import type { GuardSyscalls } from "./syscalls.ts";
import { walkBeneath } from "./walk-beneath.ts";

/**
 * Opens by descriptors (Linux): the root is opened once, and everything is reached from that descriptor, by openat2
 * where the kernel has it and else by the walk. Judging a name and opening it are one step for the kernel, so nothing
 * that is renamed in between can lead out.
 */
export class DescriptorOpener implements Opener {
  readonly byName = false;
  readonly #root: string;
  readonly #rootFd: number;
  #syscalls: GuardSyscalls | undefined;

  constructor(root: string, syscalls: GuardSyscalls | undefined) {
    this.#root = root;
    this.#syscalls = syscalls;
    this.#rootFd = openSync(root, DIRECTORY_PLACE_FLAGS | NOFOLLOW);
  }

  open(segments: readonly string[]): Found {
    return this.#found(this.#openat2(segments) ?? walkBeneath(this.#rootFd, this.#root, segments));
  }

  openChild(directory: DirectoryPlace, name: string): Found {
    const at = this.at(directory, name);
    try {
      return this.#found(openSync(at, READ_FLAGS | NOFOLLOW));
    } catch (error) {
      throw errnoOf(error) === "ELOOP" ? symlinkRefused(name, targetOf(at)) : openFailure(error, name);
    }
  }

  at(directory: DirectoryPlace, name: string): string {
    return `/proc/self/fd/${directory.fd}/${name}`;
  }

  reach(opened: Found): string {
    return `/proc/self/fd/${opened.fd}`;
  }

  realPathOf(fd: number): string {
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    if (!path.includes("\ufffd")) return path;
    const bytes = readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" });
    if (Buffer.from(path).equals(bytes)) return path;
    throw new ToolFailure("invalid_input", `${shown(path)} is not UTF-8; rename the file to read it`);
  }

  confirm(): void {}

  setMode(fd: number, mode: number): void {
    try {
      fchmodSync(fd, mode);
    } catch (error) {
      if (!isNodesRefusal(error)) throw error;
      // Node's permission model refuses it for every descriptor, whatever is allowed. The seal refuses the second way.
      if (!this.#syscalls?.fchmod?.(fd, mode)) chmodSync(`/proc/self/fd/${fd}`, mode);
    }
  }

  close(): void {
    closeSync(this.#rootFd);
  }

  #found(fd: number): Found {
    try {
      return { fd, realPath: this.realPathOf(fd) };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /**
   * One call that the kernel confines by itself. It fetches a mere place (O_PATH), so a device or FIFO is not even
   * opened, and the place is then opened for reading through its own descriptor: that one Node knows, and closes
   * when the thread is terminated in mid-call. Any refusal is left to the walk, which says why, and which also takes
   * an absolute symlink that stays inside (openat2 does not).
   */
  #openat2(segments: readonly string[]): number | undefined {
    if (!this.#syscalls) return undefined;
    const place = this.#syscalls.openat2(this.#rootFd, segments.join("/") || ".", OPENAT2_FLAGS, 0);
    if (place === undefined) this.#syscalls = undefined;
    if (place === undefined || place < 0) return undefined;
    try {
      return openSync(`/proc/self/fd/${place}`, READ_FLAGS);
    } catch {
      return undefined;
    } finally {
      this.#syscalls?.close(place);
    }
  }
}

function targetOf(at: string): string {
  try {
    return readlinkSync(at);
  } catch {
    return "another place";
  }
}
