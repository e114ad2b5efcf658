import { closeSync, createWriteStream, fstatSync, readdirSync, readSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { RuiZNError } from "../errors.ts";
import { EVENTS_FILE } from "../events/event-writer.ts";
import { errorCode, Folder } from "../events/run-folder.ts";
import { TAR_END, tarHeader, tarPadding } from "./tar.ts";

const CHUNK_BYTES = 65_536;

/** Files of a run's folder that belong to its log. */
export const LOG_FILE_NAME = /^(?:events\.jsonl|events\.torn-\d+|blobs\/[0-9a-f]{64})$/;

/**
 * Writes a run's log with its blobs as one gzipped tar file: the run's folder as it is, for another machine.
 * The same log gives the same tar.
 * @throws RuiZNError input_invalid when it can't be read, or the file can't be written or is there already
 */
export async function exportRun(runPath: string, runId: string, toFile: string): Promise<void> {
  const folder = Folder.at(runPath);
  try {
    const target = createWriteStream(toFile, { flags: "wx", mode: 0o600 });
    await pipeline(Readable.from(tarOf(folder, runId)), createGzip(), target);
  } catch (error) {
    throw new RuiZNError("input_invalid", `${runPath} can't be exported to ${toFile} (${errorCode(error)})`, {
      hint:
        errorCode(error) === "EEXIST" ? "name another file with --output" : "choose a place with --output",
      cause: error,
    });
  } finally {
    folder.close();
  }
}

function* tarOf(folder: Folder, runId: string): Generator<Buffer, void, void> {
  for (const name of logFiles(folder)) yield* entryOf(folder, name, runId);
  yield TAR_END;
}

function logFiles(folder: Folder): string[] {
  const names = readdirSync(folder.inside("."), { withFileTypes: true });
  const blobs = names.some((entry) => entry.name === "blobs" && entry.isDirectory())
    ? readdirSync(folder.inside("blobs")).map((name) => `blobs/${name}`)
    : [];
  const own = names.map(({ name }) => name).toSorted();
  return [EVENTS_FILE, ...own.filter((name) => name !== EVENTS_FILE), ...blobs.toSorted()].filter((name) =>
    LOG_FILE_NAME.test(name),
  );
}

/** As many bytes as the file had when it was opened: a run that is still going only adds to it. */
function* entryOf(folder: Folder, name: string, runId: string): Generator<Buffer, void, void> {
  const fd = folder.open(name, "read");
  try {
    const { size } = fstatSync(fd);
    yield tarHeader({ name: `${runId}/${name}`, size });
    for (let position = 0; position < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
      const read = readSync(fd, chunk, 0, chunk.length, position);
      if (read === 0) throw Object.assign(new Error(`${name} became shorter`), { code: "ESTALE" });
      position += read;
      yield chunk.subarray(0, read);
    }
    yield tarPadding(size);
  } finally {
    closeSync(fd);
  }
}
