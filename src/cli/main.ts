import type { CliIo } from "./io.ts";

/**
 * The whole command. Never throws; what went wrong is told on stderr.
 * @returns the exit code; everything written has been handed to the kernel.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  const code = await answered(argv, io);
  await Promise.all([io.stdout.drained(), io.stderr.drained()]);
  const failure = io.stdout.failure;
  if (failure === undefined) return code;
  io.stderr.write(`error: the output could not be written (${failure})\n`);
  return code === 0 ? 1 : code;
}

async function answered(argv: readonly string[], io: CliIo): Promise<number> {
  const quick = await quickAnswer(argv);
  if (quick === undefined) {
    const { dispatch } = await import("./dispatch.ts");
    return dispatch(argv, io);
  }
  io.stdout.write(quick);
  return 0;
}

/** Version and help, without loading anything that parses or runs. */
async function quickAnswer(argv: readonly string[]): Promise<string | undefined> {
  const last = argv.at(-1);
  if (argv.length === 1 && (last === "--version" || last === "-V")) {
    const { VERSION } = await import("../version.ts");
    return `${VERSION}\n`;
  }
  if ((last !== "--help" && last !== "-h") || argv.length > 1) return undefined;
  const { rootHelp } = await import("./help-text.ts");
  return rootHelp();
}
