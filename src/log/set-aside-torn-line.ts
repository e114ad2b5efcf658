import { closeSync, fsyncSync, ftruncateSync, readSync, writeFileSync } from "node:fs";
import { EVENTS_FILE } from "../events/event-writer.ts";
import { errorCode, type Folder } from "../events/run-folder.ts";
import type { LogReport } from "./log-report.ts";

/**
 * Takes a torn last line out of the log and keeps it in a file of its own beside it.
 * @returns that file's name
 */
export function setAsideTornLine(folder: Folder, { end, tornBytes }: LogReport): string {
  const fd = folder.open(EVENTS_FILE, "append");
  try {
    const torn = Buffer.alloc(tornBytes);
    readSync(fd, torn, 0, tornBytes, end.bytes);
    // Kept first: a kill in between leaves it in both places.
    const name = keep(folder, torn);
    ftruncateSync(fd, end.bytes);
    fsyncSync(fd);
    return name;
  } finally {
    closeSync(fd);
  }
}

function keep(folder: Folder, torn: Buffer): string {
  for (let n = 1; ; n++) {
    const name = `events.torn-${n}`;
    try {
      const fd = folder.open(name, "create");
      try {
        writeFileSync(fd, torn);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      return name;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}
