import { closeSync, fstatSync, unlinkSync, type Stats } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import type { Evidence } from "../protocol.ts";
import type { PathAccess } from "./denied-paths.ts";
import { EvidenceLog } from "./evidence-log.ts";
import { judgeOpened } from "./judge-opened.ts";
import { openFailure } from "./open-failure.ts";
import { DirectoryHandle, FileHandle, type OpenedParts } from "./opened.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { openParent } from "./parent-directory.ts";
import { judgePathText, shown, splitPath } from "./path-text.ts";
import { readLink } from "./read-link.ts";
import { checkReplaceable, replaceInDirectory } from "./replace-file.ts";
import { twinOf } from "./unicode-twin.ts";
import type { LinkText, OpenedDirectory, OpenedFile, Workspace, WrittenFile } from "./workspace.ts";

/** The root of a workspace, open. */
export interface GuardedRoot {
  readonly path: string;
  readonly dev: number;
  readonly opener: Opener;
}

/** The workspace as the guard shows it: text first, then open, then judge what was opened. */
export class GuardedWorkspace implements Workspace {
  readonly root: string;
  readonly #opener: Opener;
  readonly #rootDev: number;
  readonly #onClose: () => void;
  readonly #log = new EvidenceLog();
  readonly #open = new Set<{ close(): void }>();
  #closed = false;

  constructor({ path, dev, opener }: GuardedRoot, onClose: () => void = () => {}) {
    this.root = path;
    this.#opener = opener;
    this.#rootDev = dev;
    this.#onClose = onClose;
  }

  open(path: string): FileHandle | DirectoryHandle {
    const segments = this.#judgeText(path, "read");
    try {
      return this.#handle(this.#opener.open(segments), path);
    } catch (error) {
      throw this.#namingTwin(openFailure(error, path), segments);
    }
  }

  openFile(path: string): OpenedFile {
    return expectFile(this.open(path), path);
  }

  openDirectory(path: string): OpenedDirectory {
    const opened = this.open(path);
    if (opened.kind === "directory") return opened;
    opened.discard();
    throw new ToolFailure("invalid_input", `${shown(path)} is a file, not a directory`);
  }

  openEntry(directory: OpenedDirectory, name: string): OpenedFile | OpenedDirectory {
    expectEntryName(name);
    const found = this.#opener.openChild(placeOf(directory), name);
    return this.#handle(found, directory.path === "." ? name : `${directory.path}/${name}`);
  }

  readLink(directory: OpenedDirectory, name: string): LinkText | undefined {
    expectEntryName(name);
    return readLink(this.#opener, placeOf(directory), [...splitPath(directory.path), name]);
  }

  replaceFile(
    path: string,
    bytes: Uint8Array,
    options: Parameters<Workspace["replaceFile"]>[2] = {},
  ): WrittenFile {
    const segments = this.#judgeText(path, "write");
    return this.#inParent(segments, path, options.createParents === true, (parent, name) => {
      const { unless } = options;
      return replaceInDirectory({
        opener: this.#opener,
        parent,
        name,
        bytes,
        openCurrent: () => this.#current(parent, name),
        ...(unless ? { unless } : {}),
        judge: (found) => this.#judge(found, path, "write").inside.join("/"),
        log: this.#log,
      });
    });
  }

  removeFile(path: string, { unless }: Parameters<Workspace["removeFile"]>[1] = {}): void {
    const segments = this.#judgeText(path, "write");
    this.#inParent(segments, path, false, (parent, name) => {
      const current = this.#current(parent, name);
      if (!current) throw new ToolFailure("not_found", `${shown(path)} does not exist`);
      try {
        const { realPath, dev, ino, nlink } = current;
        this.#log.expectRoomForWrite(realPath);
        unless?.(current);
        this.#opener.confirm(parent);
        unlinkSync(this.#opener.at(parent, name));
        const byName = this.#opener.byName ? { by_name: true as const } : {};
        this.#log.addWrite({ access: "write", real_path: realPath, dev, ino, nlink, bytes: 0, ...byName });
      } catch (error) {
        throw openFailure(error, path);
      } finally {
        current.discard();
      }
    });
  }

  evidence(): Evidence[] {
    return this.#log.list();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const handle of this.#open) handle.close();
    this.#onClose();
  }

  #judgeText(path: string, access: PathAccess): string[] {
    const judged = judgePathText(path, this.root, access);
    if (!judged.ok) throw new ToolFailure(judged.errorType, judged.message);
    return judged.relative === "." ? [] : judged.relative.split("/");
  }

  /** Beneath the root, of an open kind, not denied. */
  #judge(found: Found, asked: string, access: PathAccess): { stat: Stats; inside: string[] } {
    const stat = fstatSync(found.fd);
    const facts = { asked, stat, access, reach: this.#opener.reach(found), realPath: found.realPath };
    return { stat, inside: judgeOpened({ path: this.root, dev: this.#rootDev }, facts) };
  }

  /** Takes over the descriptor: it is in the handle, or closed. */
  #handle(found: Found, asked: string, log = this.#log): FileHandle | DirectoryHandle {
    try {
      const { stat, inside } = this.#judge(found, asked, "read");
      const parts: OpenedParts = {
        ...found,
        stat,
        path: inside.join("/") || ".",
        byName: this.#opener.byName,
        log,
        open: this.#open,
      };
      if (stat.isFile()) return new FileHandle(parts);
      const opener = this.#opener;
      return new DirectoryHandle(parts, opener.at(found, "."), () => opener.confirm(found));
    } catch (error) {
      closeSync(found.fd);
      throw error;
    }
  }

  /** What a write would replace, after the refusals; undefined when nothing is there. */
  #current(parent: DirectoryPlace, name: string): FileHandle | undefined {
    const found = checkReplaceable(this.#opener, parent, name);
    if (!found) return undefined;
    // What is only looked at before it is replaced needs no room in the evidence.
    return expectFile(this.#handle(found, name, new EvidenceLog()), name);
  }

  #inParent<T>(
    segments: readonly string[],
    path: string,
    create: boolean,
    use: (parent: DirectoryPlace, name: string) => T,
  ): T {
    const name = segments.at(-1);
    if (name === undefined)
      throw new ToolFailure("invalid_input", `${shown(path)} is the workspace root, not a file`);
    const judge = (found: Found): unknown => this.#judge(found, path, "write");
    const parent = openParent({ opener: this.#opener, create, judge, path }, segments.slice(0, -1));
    try {
      return use(parent, name);
    } finally {
      closeSync(parent.fd);
    }
  }

  #namingTwin(failure: ToolFailure, segments: readonly string[]): ToolFailure {
    const twin = failure.errorType === "not_found" ? twinOf(this.#opener, segments) : undefined;
    if (twin === undefined) return failure;
    return new ToolFailure(
      "not_found",
      `${failure.message}; ${shown(twin)} does, which looks the same but is other Unicode (${encodeURI(twin)})`,
    );
  }
}

function expectEntryName(name: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new ToolFailure("invalid_input", `${shown(name)} is not the name of a directory entry`);
  }
}

function expectFile(opened: FileHandle | DirectoryHandle, path: string): FileHandle {
  if (opened.kind === "file") return opened;
  opened.discard();
  throw new ToolFailure("invalid_input", `${shown(path)} is a directory, not a file`);
}

function placeOf(directory: OpenedDirectory): DirectoryPlace {
  if (directory instanceof DirectoryHandle) return directory;
  throw new ToolFailure("runtime_error", "openEntry needs a directory that this workspace opened");
}
