/** The part of the ustar format that a run's bundle needs: regular files with short names. */

export const TAR_BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const CHECKSUM = { start: 148, end: 156 };
const MAGIC = { start: 257, text: "ustar\u000000" };

export interface TarEntry {
  name: string;
  size: number;
}

/** Same name and size give the same bytes: no time and no owner is noted. */
export function tarHeader({ name, size }: TarEntry): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new RangeError(`${name} is too long for a tar header`);
  header.write(name, 0);
  header.write("0000600\u0000", 100);
  header.write("0000000\u0000", 108);
  header.write("0000000\u0000", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\u0000`, 124);
  header.write("00000000000\u0000", 136);
  header.write("0", 156);
  header.write(MAGIC.text, MAGIC.start);
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\u0000 `, CHECKSUM.start);
  return header;
}

/** Zeros that fill an entry's last block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES);
}

export const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

/** What a header says, `"end"` for a block of zeros, undefined for what is no header of a regular file. */
export function readTarHeader(block: Buffer): TarEntry | "end" | undefined {
  if (block.every((byte) => byte === 0)) return "end";
  const stored = Number.parseInt(block.toString("latin1", CHECKSUM.start, CHECKSUM.end), 8);
  const kind = block.toString("latin1", 156, 157);
  const size = block.toString("latin1", 124, 135);
  if (stored !== checksum(block) || (kind !== "0" && kind !== "\u0000") || !/^[0-7]{11}$/.test(size)) {
    return undefined;
  }
  const end = block.indexOf(0);
  return { name: block.toString("utf8", 0, Math.min(end, NAME_BYTES)), size: Number.parseInt(size, 8) };
}

function checksum(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) {
    sum += at >= CHECKSUM.start && at < CHECKSUM.end ? 0x20 : byte;
  }
  return sum;
}
