import { closeSync, createReadStream, mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { RuiZNError } from "../errors.ts";
import { errorCode, Folder } from "../events/run-folder.ts";
import { LOG_FILE_NAME } from "./export-run.ts";
import { readTarHeader, TAR_BLOCK_BYTES, type TarEntry } from "./tar.ts";

/** What a bundle may hold when unpacked: a small file can be made to hold terabytes. */
const BUNDLE_MAX_BYTES = 4 * 1024 ** 3;

/**
 * Unpacks a run that `exportRun` wrote into a folder of its own for the time of `use`.
 * @throws RuiZNError input_invalid for a file that is not such a bundle; and what `use` throws
 */
export async function withBundle<T>(file: string, use: (runPath: string) => T): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), "ruizn-bundle-"));
  const folder = Folder.at(path);
  const unpacker = new Unpacker(folder);
  try {
    await unpack(file, unpacker);
    return use(path);
  } finally {
    unpacker.close();
    folder.close();
    rmSync(path, { recursive: true, force: true });
  }
}

async function unpack(file: string, unpacker: Unpacker): Promise<void> {
  const source = createReadStream(file);
  const plain = createGunzip();
  source.on("error", (error) => plain.destroy(error));
  try {
    for await (const chunk of source.pipe(plain)) unpacker.push(chunk as Buffer);
    unpacker.finish();
  } catch (error) {
    const why = error instanceof NotABundle ? error.message : errorCode(error);
    throw new RuiZNError("input_invalid", `${file} is not the export of a run (${why})`, { cause: error });
  } finally {
    source.destroy();
  }
}

class NotABundle extends Error {}

class Unpacker {
  readonly #folder: Folder;
  #blobs: Folder | undefined;
  #pending = Buffer.alloc(0);
  #fd: number | undefined;
  /** Of the entry under way: content and padding that are still to come. */
  #content = 0;
  #padding = 0;
  #total = 0;
  #ended = false;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  push(chunk: Buffer): void {
    let rest = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    for (;;) {
      rest = this.#takeEntry(rest);
      if (this.#ended || this.#content + this.#padding > 0 || rest.length < TAR_BLOCK_BYTES) break;
      this.#begin(readTarHeader(rest.subarray(0, TAR_BLOCK_BYTES)));
      rest = rest.subarray(TAR_BLOCK_BYTES);
    }
    this.#pending = this.#ended ? Buffer.alloc(0) : Buffer.from(rest);
  }

  finish(): void {
    if (!this.#ended) throw new NotABundle("it breaks off");
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#blobs?.close();
  }

  #begin(entry: TarEntry | "end" | undefined): void {
    if (entry === "end") {
      this.#ended = true;
      return;
    }
    if (!entry) throw new NotABundle("no tar header where one must be");
    const name = entry.name.slice(entry.name.indexOf("/") + 1);
    if (!LOG_FILE_NAME.test(name)) throw new NotABundle(`${JSON.stringify(entry.name)} is no part of a log`);
    this.#total += entry.size;
    if (this.#total > BUNDLE_MAX_BYTES) throw new NotABundle(`more than ${BUNDLE_MAX_BYTES} bytes`);
    this.#fd = this.#create(name);
    this.#content = entry.size;
    this.#padding = (TAR_BLOCK_BYTES - (entry.size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
    if (entry.size === 0) this.#endEntry();
  }

  #create(name: string): number {
    if (!name.startsWith("blobs/")) return this.#folder.open(name, "create");
    this.#blobs ??= this.#folder.enter("blobs", { create: true });
    return this.#blobs.open(name.slice("blobs/".length), "create");
  }

  #takeEntry(bytes: Buffer): Buffer {
    const content = bytes.subarray(0, this.#content);
    if (this.#fd !== undefined && content.length > 0) {
      for (let at = 0; at < content.length; ) at += writeSync(this.#fd, content, at);
      this.#content -= content.length;
      if (this.#content === 0) this.#endEntry();
    }
    const padding = Math.min(this.#padding, bytes.length - content.length);
    if (this.#content === 0) this.#padding -= padding;
    return bytes.subarray(content.length + (this.#content === 0 ? padding : 0));
  }

  #endEntry(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
