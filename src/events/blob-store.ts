import { hash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { BlobReference } from "./log-line.ts";
import type { Folder } from "./run-folder.ts";

const NAME = /^[0-9a-f]{64}$/;

/** Why a reference could not be resolved. */
export type BlobTrouble = "missing" | "altered" | "malformed";

/** `blobs/<sha256>` beside events.jsonl: each holds the JSON of one field's value that was too long for its line. */
export class BlobStore {
  readonly #run: Folder;
  readonly #sync: boolean;
  #folder: Folder | undefined;
  readonly #stored = new Set<string>();

  /** `sync: false` leaves it to the kernel when a blob reaches the disk. */
  constructor(run: Folder, options: { sync: boolean }) {
    this.#run = run;
    this.#sync = options.sync;
  }

  /** Stores it; the line that refers to it is written after. The same content is stored once. */
  put(json: string): BlobReference {
    const content = Buffer.from(json);
    const sha256 = hash("sha256", content, "hex");
    if (!this.#stored.has(sha256)) {
      this.#folder ??= this.#run.enter("blobs", { create: true });
      this.#write(this.#folder, sha256, content);
      this.#stored.add(sha256);
    }
    return { $blob: sha256, bytes: content.length };
  }

  /** The value that a reference stands for; never throws. */
  get(reference: BlobReference): { ok: true; value: unknown } | { ok: false; trouble: BlobTrouble } {
    const name: unknown = reference.$blob;
    if (typeof name !== "string" || !NAME.test(name)) return { ok: false, trouble: "malformed" };
    const content = this.#read(name, reference.bytes);
    if (!content) return { ok: false, trouble: "missing" };
    if (content.length !== reference.bytes || hash("sha256", content, "hex") !== name) {
      return { ok: false, trouble: "altered" };
    }
    try {
      return { ok: true, value: JSON.parse(content.toString()) };
    } catch {
      return { ok: false, trouble: "malformed" };
    }
  }

  close(): void {
    this.#folder?.close();
    this.#folder = undefined;
  }

  /** Under its name only when whole: a kill in between leaves a `.part` that nothing refers to. */
  #write(folder: Folder, name: string, content: Buffer): void {
    const fd = folder.open(`${name}.part`, "rewrite");
    try {
      writeFileSync(fd, content);
      if (this.#sync) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(folder.inside(`${name}.part`), folder.inside(name));
  }

  #read(name: string, bytes: number): Buffer | undefined {
    try {
      this.#folder ??= this.#run.enter("blobs");
      const fd = this.#folder.open(name, "read");
      try {
        // Only what has the promised size is read: the file may be anything by now.
        return fstatSync(fd).size === bytes ? readFileSync(fd) : Buffer.alloc(0);
      } finally {
        closeSync(fd);
      }
    } catch {
      return undefined;
    }
  }
}
