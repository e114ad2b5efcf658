import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { RuiZNError } from "../errors.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

// Not all of these exist off Linux and macOS.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

/** `read` of what is there, `append` to it, `create` what must not be there, `rewrite` whatever is there. */
export type OpenMode = "read" | "append" | "create" | "rewrite";

const OPEN_FLAGS: Record<OpenMode, number> = {
  read: constants.O_RDONLY,
  append: constants.O_RDWR | constants.O_APPEND,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  rewrite: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
};

/** Where the runs of a workspace lie. `runsDir` is another place, chosen by the user and so trusted. */
export interface RunPlace {
  workspace: string;
  runsDir?: string | undefined;
}

export function runsFolderPath(place: RunPlace): string {
  return place.runsDir ?? join(place.workspace, ".ruizn", "runs");
}

/**
 * A folder held open, so that what is opened in it is in it, whatever its path has become meanwhile. Symbolic links
 * are never followed: a checkout may have brought `.ruizn` along as one. Where the system has no /proc/self/fd, names
 * are checked and then used by path.
 */
export class Folder {
  /** For people and for checks that the path still leads here. */
  readonly path: string;
  readonly #fd: number | undefined;
  #closed = false;

  private constructor(path: string, fd: number | undefined) {
    this.path = path;
    this.#fd = fd;
  }

  /** @throws RuiZNError log_unwritable; a link at the path itself is followed, since the user named it. */
  static at(path: string, options: { create?: boolean } = {}): Folder {
    try {
      if (options.create) mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
      if (!existsSync("/proc/self/fd")) return new Folder(path, undefined);
      return new Folder(path, openSync(path, constants.O_RDONLY | DIRECTORY));
    } catch (error) {
      throw refused(path, error);
    }
  }

  /** Path to use for a system call on `name` in this folder. */
  inside(name: string): string {
    return this.#fd === undefined ? join(this.path, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** @throws RuiZNError log_unwritable */
  enter(name: string, options: { create?: boolean; mustBeNew?: boolean } = {}): Folder {
    const path = join(this.path, name);
    try {
      if (options.create) makeFolder(this.inside(name), options.mustBeNew === true);
      if (this.#fd !== undefined) {
        return new Folder(path, openSync(this.inside(name), constants.O_RDONLY | DIRECTORY | NOFOLLOW));
      }
      if (!lstatSync(path).isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
      return new Folder(path, undefined);
    } catch (error) {
      throw refused(path, error);
    }
  }

  /**
   * Descriptor of a regular file in this folder, which is the caller's to close. Never blocks.
   * @throws NodeJS.ErrnoException; EINVAL for what is not a regular file
   */
  open(name: string, mode: OpenMode): number {
    const fd = openSync(this.inside(name), OPEN_FLAGS[mode] | NOFOLLOW | NONBLOCK, FILE_MODE);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    throw Object.assign(new Error(`${join(this.path, name)} is not a regular file`), { code: "EINVAL" });
  }

  /** Makes the names in this folder last. A file system that can't sync a folder is no reason to end a run. */
  sync(): void {
    try {
      if (this.#fd !== undefined) fsyncSync(this.#fd);
    } catch {
      return;
    }
  }

  close(): void {
    if (this.#fd !== undefined && !this.#closed) closeSync(this.#fd);
    this.#closed = true;
  }
}

/**
 * Makes the folder of a new run, and `.ruizn` with a .gitignore that ignores all of it.
 * @throws RuiZNError log_unwritable
 */
export function createRunFolder(place: RunPlace, runId: string): Folder {
  const runs =
    place.runsDir === undefined ? defaultRunsFolder(place) : Folder.at(place.runsDir, { create: true });
  try {
    return runs.enter(runId, { create: true, mustBeNew: true });
  } finally {
    runs.close();
  }
}

/** @throws RuiZNError input_invalid when there is no such run */
export function openRunFolder(place: RunPlace, runId: string): Folder {
  const path = join(runsFolderPath(place), runId);
  if (!/^[\w-]+$/.test(runId) || !existsSync(join(path, "events.jsonl"))) {
    throw new RuiZNError(
      "input_invalid",
      `there is no run ${JSON.stringify(runId)} in ${runsFolderPath(place)}`,
      {
        hint: "`ruizn runs list` shows the runs there are",
      },
    );
  }
  return Folder.at(path);
}

function defaultRunsFolder(place: RunPlace): Folder {
  const workspace = Folder.at(place.workspace);
  try {
    const own = workspace.enter(".ruizn", { create: true });
    try {
      ignoreAll(own);
      return own.enter("runs", { create: true });
    } finally {
      own.close();
    }
  } finally {
    workspace.close();
  }
}

function ignoreAll(own: Folder): void {
  try {
    const fd = own.open(".gitignore", "create");
    writeFileSync(fd, "*\n");
    closeSync(fd);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw refused(join(own.path, ".gitignore"), error);
  }
}

function makeFolder(path: string, mustBeNew: boolean): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (mustBeNew || errorCode(error) !== "EEXIST") throw error;
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function refused(path: string, error: unknown): RuiZNError {
  if (error instanceof RuiZNError) return error;
  const { why, hint } = explain(path, errorCode(error));
  return new RuiZNError("log_unwritable", `the run's log can't be written: ${path} ${why}`, {
    hint,
    cause: error,
  });
}

function explain(path: string, code: string): { why: string; hint: string } {
  const elsewhere = "choose another place with --log-dir, or run without a log with --no-log";
  if (code === "ELOOP" || code === "ENOTDIR") {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const why = isLink ? "is a symbolic link, which is never followed" : "is not a folder";
    return { why, hint: `remove it, or ${elsewhere}` };
  }
  if (code === "EEXIST") return { why: "exists already", hint: "start the run again: it takes a new id" };
  return { why: `can't be made or opened (${code})`, hint: `make it writable, or ${elsewhere}` };
}
