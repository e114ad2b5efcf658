import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export type TextFile = { found: true; text: string } | { found: false; code: string; why: string };

/**
 * Reads a whole UTF-8 text file. Opened without blocking and judged by its descriptor: a FIFO or a device is refused,
 * a file above the limit or of another encoding too.
 */
export function readTextFile(path: string, maxBytes: number): TextFile {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return refused("ENOTFILE", "is not a regular file");
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let got = 1; got > 0 && length < buffer.length; length += got) {
      got = readSync(fd, buffer, length, buffer.length - length, length);
    }
    if (length > maxBytes) return refused("EFBIG", `is larger than ${maxBytes} bytes`);
    return {
      found: true,
      text: new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length)),
    };
  } catch (error) {
    if (error instanceof TypeError) return refused("EILSEQ", "is not UTF-8 text");
    const code = (error as NodeJS.ErrnoException).code ?? "EIO";
    return refused(code, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function refused(code: string, why: string): TextFile {
  return { found: false, code, why };
}
