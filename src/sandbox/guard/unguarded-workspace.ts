import {
  constants,
  closeSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  mkdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ToolFailure } from "../../tools/tool-body.ts";
import type { Evidence } from "../protocol.ts";
import { EvidenceLog } from "./evidence-log.ts";
import { openFailure } from "./open-failure.ts";
import { READ_FLAGS } from "./open-flags.ts";
import { DirectoryHandle, FileHandle } from "./opened.ts";
import type { LinkText, OpenedDirectory, OpenedFile, Workspace, WrittenFile } from "./workspace.ts";

const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

/**
 * The workspace with its guard switched off, as the attack harness needs it to show what the other layers stop alone:
 * opens whatever a path names. Its evidence is honest: the seal and the re-check have to do without the guard, not
 * with a liar. Reached by `switches.workerGuard` alone.
 */
export class UnguardedWorkspace implements Workspace {
  readonly root: string;
  readonly #log = new EvidenceLog();
  readonly #open = new Set<{ close(): void }>();

  constructor(root: string) {
    this.root = root;
  }

  open(path: string): OpenedFile | OpenedDirectory {
    try {
      return this.#handle(openSync(resolve(this.root, path), READ_FLAGS), path);
    } catch (error) {
      throw openFailure(error, path);
    }
  }

  openFile(path: string): OpenedFile {
    const opened = this.open(path);
    if (opened.kind === "file") return opened;
    opened.discard();
    throw new ToolFailure("invalid_input", `${path} is not a file`);
  }

  openDirectory(path: string): OpenedDirectory {
    const opened = this.open(path);
    if (opened.kind === "directory") return opened;
    opened.discard();
    throw new ToolFailure("invalid_input", `${path} is not a directory`);
  }

  openEntry(directory: OpenedDirectory, name: string): OpenedFile | OpenedDirectory {
    return this.open(join(directory.path, name));
  }

  readLink(directory: OpenedDirectory, name: string): LinkText | undefined {
    try {
      return { target: readlinkSync(join(directory.path, name)), leaves: false };
    } catch {
      return undefined;
    }
  }

  replaceFile(
    path: string,
    bytes: Uint8Array,
    options: Parameters<Workspace["replaceFile"]>[2] = {},
  ): WrittenFile {
    const target = resolve(this.root, path);
    try {
      options.unless?.(undefined);
      if (options.createParents) mkdirSync(dirname(target), { recursive: true });
      const fd = openSync(target, WRITE_FLAGS, 0o666);
      try {
        for (let done = 0; done < bytes.byteLength; ) done += writeSync(fd, bytes, done);
        this.#record(fd, target, bytes.byteLength);
      } finally {
        closeSync(fd);
      }
      return { path, created: false, bytes: bytes.byteLength };
    } catch (error) {
      throw openFailure(error, path);
    }
  }

  removeFile(path: string, { unless }: Parameters<Workspace["removeFile"]>[1] = {}): void {
    const opened = this.open(path);
    if (opened.kind === "file") unless?.(opened);
    this.#record(opened.fd, resolve(this.root, path), 0);
    opened.discard();
    unlinkSync(resolve(this.root, path));
  }

  evidence(): Evidence[] {
    return this.#log.list();
  }

  close(): void {
    for (const handle of this.#open) handle.close();
  }

  #handle(fd: number, path: string): FileHandle | DirectoryHandle {
    const stat = fstatSync(fd);
    const realPath = realPathOf(fd, resolve(this.root, path));
    const parts = { fd, realPath, path: realPath, stat, byName: false, log: this.#log, open: this.#open };
    return stat.isDirectory() ? new DirectoryHandle(parts, `${realPath}/.`) : new FileHandle(parts);
  }

  #record(fd: number, target: string, bytes: number): void {
    const { dev, ino, nlink } = fstatSync(fd);
    this.#log.add({ access: "write", real_path: realPathOf(fd, target), dev, ino, nlink, bytes });
  }
}

function realPathOf(fd: number, name: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(name);
}
