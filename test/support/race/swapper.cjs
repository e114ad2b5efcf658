// A process of its own that exchanges two names as fast as it can (renameat2 RENAME_EXCHANGE), until it is killed.
// It is plain JavaScript because it must not share anything with what it attacks.
const koffi = require("koffi");

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const SYS_RENAMEAT2 = process.arch === "arm64" ? 276 : 316;

const [first, second] = process.argv.slice(2);
const libc = koffi.load(null);
const syscall = libc.func(
  "long syscall(long number, int from, const char *a, int to, const char *b, uint flags)",
);
const parent = process.ppid;

process.stdout.write("ready\n");
for (;;) {
  for (let turn = 0; turn < 1_000; turn++) {
    syscall(SYS_RENAMEAT2, AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
  }
  if (process.ppid !== parent) break;
}
