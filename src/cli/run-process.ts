import type { Cell } from "../sandbox/cell.ts";
import { lastExit } from "../sandbox/last-exit.ts";
import { processIo } from "./io.ts";
import { leaveSoon } from "./leave.ts";
import { main } from "./main.ts";
import { StopSignals } from "./stop-signals.ts";

/** `main` on this process's own arguments and streams. */
export async function runProcess(): Promise<void> {
  const argv = process.argv.slice(2);
  const firstThread = callsTools(argv) && !inProcesses(argv) ? await launchThread() : undefined;
  const signals = new StopSignals(lastExit);
  const io = processIo(() => signals.signal());
  const code = await main(argv, { ...io, ...(firstThread && { firstThread }) });
  // Where the command came to no run, nobody has.
  void firstThread?.retire();
  leaveSoon(code);
}

function callsTools(argv: readonly string[]): boolean {
  const [first, second] = argv;
  if (argv.includes("--help") || argv.includes("-h")) return false;
  return first === "run" || (first === "tools" && second === "call");
}

/** Then no tool runs in a thread of this process, and the host that starts instead wants the second core for itself. */
function inProcesses(argv: readonly string[]): boolean {
  const at = argv.indexOf("--isolation");
  return (
    argv.includes("--isolation=process") || (at !== -1 && argv[at + 1] === "process") || argv.includes("--ci")
  );
}

/** On a second core the thread is ready by the time that it is asked for. Why it can't start, the run will tell. */
async function launchThread(): Promise<Cell | undefined> {
  try {
    const cell = await import("../sandbox/cell.ts");
    return await cell.Cell.launch({ atomics: "sync" });
  } catch {
    return undefined;
  }
}
