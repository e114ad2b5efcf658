import { closeSync, opendirSync, readSync, type Dir, type Dirent, type Stats } from "node:fs";
import { LIMITS } from "../../limits.ts";
import type { Evidence } from "../protocol.ts";
import type { EvidenceLog } from "./evidence-log.ts";
import { openFailure } from "./open-failure.ts";
import type { DirectoryEntry, Opened, OpenedDirectory, OpenedFile } from "./workspace.ts";

/** What a handle is made of. */
export interface OpenedParts {
  readonly fd: number;
  /** Absolute, and relative to the root. */
  readonly realPath: string;
  readonly path: string;
  readonly stat: Stats;
  readonly byName: boolean;
  readonly log: EvidenceLog;
  /** All open handles of the workspace. */
  readonly open: Set<{ close(): void }>;
}

abstract class Handle implements Opened {
  readonly fd: number;
  readonly path: string;
  readonly realPath: string;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  protected readonly evidence: Evidence;
  readonly #parts: OpenedParts;
  #closed = false;

  constructor(parts: OpenedParts, access: "read" | "list") {
    this.#parts = parts;
    this.fd = parts.fd;
    this.path = parts.path;
    this.realPath = parts.realPath;
    const { dev, ino, nlink, size, mtimeMs, mode } = parts.stat;
    this.dev = dev;
    this.ino = ino;
    this.nlink = nlink;
    this.size = size;
    this.mtimeMs = mtimeMs;
    this.mode = mode;
    this.evidence = parts.log.add({
      access,
      real_path: parts.realPath,
      dev,
      ino,
      nlink,
      bytes: 0,
      ...(parts.byName ? { by_name: true } : {}),
    });
    parts.open.add(this);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts.open.delete(this);
    closeSync(this.fd);
  }

  discard(): void {
    this.#parts.log.remove(this.evidence);
    this.close();
  }
}

export class FileHandle extends Handle implements OpenedFile {
  readonly kind = "file";

  constructor(parts: OpenedParts) {
    super(parts, "read");
  }

  read(buffer: Uint8Array, position: number): number {
    let filled = 0;
    try {
      while (filled < buffer.byteLength) {
        const count = readSync(this.fd, buffer, filled, buffer.byteLength - filled, position + filled);
        if (count === 0) break;
        filled += count;
      }
    } catch (error) {
      throw openFailure(error, this.path);
    } finally {
      this.evidence.bytes += filled;
    }
    return filled;
  }
}

export class DirectoryHandle extends Handle implements OpenedDirectory {
  readonly kind = "directory";
  readonly #listPath: string;
  readonly #confirm: () => void;

  /**
   * `listPath` is how the system reaches the directory's entries: through the descriptor, where it can. `confirm`
   * throws when that has come to mean another directory.
   */
  constructor(parts: OpenedParts, listPath: string, confirm: () => void = () => {}) {
    super(parts, "list");
    this.#listPath = listPath;
    this.#confirm = confirm;
  }

  entries(maxEntries: number = LIMITS.directoryMaxEntries): {
    entries: DirectoryEntry[];
    truncated: boolean;
  } {
    const { found, more } = this.#read("utf8");
    const entries = found.some((entry) => entry.name.includes("\ufffd"))
      ? this.#read("buffer").found.map(withEscapedName)
      : found;
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { entries: entries.slice(0, maxEntries), truncated: more || entries.length > maxEntries };
  }

  #read(encoding: "utf8" | "buffer"): { found: DirectoryEntry[]; more: boolean } {
    try {
      const entries = readEntries(this.#listPath, encoding);
      this.#confirm();
      return entries;
    } catch (error) {
      throw openFailure(error, this.path);
    }
  }
}

// With encoding "buffer" the names are Buffers, whatever the types say.
function readEntries(path: string, encoding: "utf8" | "buffer"): { found: DirectoryEntry[]; more: boolean } {
  const directory: Dir = opendirSync(path, { encoding: encoding as BufferEncoding, bufferSize: 256 });
  try {
    const found: DirectoryEntry[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (found.length === LIMITS.directoryMaxEntries) return { found, more: true };
      found.push({ name: entry.name, kind: kindOf(entry) });
    }
    return { found, more: false };
  } finally {
    directory.closeSync();
  }
}

function kindOf(entry: Dirent): DirectoryEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

function withEscapedName(entry: DirectoryEntry): DirectoryEntry {
  const bytes = Buffer.from(entry.name);
  const name = bytes.toString("utf8");
  if (Buffer.from(name).equals(bytes)) return { name, kind: entry.kind };
  const escaped = Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return { name: escaped.join(""), kind: "unreadable" };
}
