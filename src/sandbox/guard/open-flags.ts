import { constants } from "node:fs";

// Node has no name for it; the same value on every architecture that Node runs on with Linux.
const O_PATH = 0x200000;

/**
 * Reading, without ever waiting (a FIFO would block the thread for good) and without taking a terminal. Absent on
 * Windows, where the constants are undefined. Node itself adds close-on-exec.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

export const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** A place to go on from, not to read: asks for search permission alone. Linux only. */
export const DIRECTORY_PLACE_FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0);

/** What openat2 is asked for; 0x80000 is O_CLOEXEC on Linux, which openat2 does not add by itself. */
export const OPENAT2_FLAGS = O_PATH | 0x80000;

/** What is written is on the disk when the write returns. Node's permission model allows no fsync. */
export const WRITES_THROUGH = constants.O_DSYNC !== undefined;

/** A file that must not be there yet. */
export const CREATE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW | (constants.O_DSYNC ?? 0);
