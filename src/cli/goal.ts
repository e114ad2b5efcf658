import { RuiZNError } from "../errors.ts";

const GOAL_MAX_BYTES = 1_048_576;
/** How long a pipe that nobody asked to read may stay silent. `-` and --stdin wait without end. */
const FIRST_BYTE_MS = 10_000;

export interface GoalSources {
  /** Of --goal or the positional argument; `-` stands for stdin. */
  text: string | undefined;
  /** --stdin. */
  alsoStdin: boolean;
  stdin: () => NodeJS.ReadStream;
  signal: AbortSignal;
}

/**
 * The goal in full. stdin is touched only for `-`, `--stdin`, or when there is no goal and it is no terminal.
 * @throws RuiZNError usage_invalid, input_invalid, aborted
 */
export async function readGoal({ text, alsoStdin, stdin, signal }: GoalSources): Promise<string> {
  const given = text === "-" ? undefined : text;
  if (given !== undefined && !alsoStdin) return checked(given);
  const explicit = alsoStdin || text === "-";
  if (!explicit && stdin().isTTY) throw noGoal();
  const piped = await readStdin(stdin(), { signal, firstByteMs: explicit ? undefined : FIRST_BYTE_MS });
  if (!explicit && piped.trim() === "") throw noGoal();
  return checked(given === undefined ? piped : `${given}\n\n${piped}`);
}

function checked(goal: string): string {
  if (goal.trim() === "") {
    throw new RuiZNError("input_invalid", "the goal is empty", {
      hint: 'say what to do: ruizn run --goal "…"',
    });
  }
  return goal;
}

function noGoal(): RuiZNError {
  return new RuiZNError("usage_invalid", "no goal is given", {
    hint: 'say what to do: ruizn run --goal "…", or `ruizn run -` to read it from stdin',
  });
}

/**
 * UTF-8 text of a stream, without its last line end.
 * @throws RuiZNError input_invalid, aborted; usage_invalid when nothing comes in time
 */
export async function readStdin(
  stream: NodeJS.ReadStream,
  { signal, firstByteMs }: { signal: AbortSignal; firstByteMs?: number | undefined },
): Promise<string> {
  const late =
    firstByteMs === undefined ? undefined : setTimeout(() => stream.destroy(noGoal()), firstByteMs);
  const stop = (): void => void stream.destroy(new RuiZNError("aborted", `interrupted by ${signal.reason}`));
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      clearTimeout(late);
      bytes += chunk.length;
      if (bytes > GOAL_MAX_BYTES)
        throw new RuiZNError("input_invalid", `stdin holds more than ${GOAL_MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return decoded(Buffer.concat(chunks)).replace(/\r?\n$/, "");
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
    stream.destroy();
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RuiZNError("input_invalid", "stdin is not UTF-8 text");
  }
}
