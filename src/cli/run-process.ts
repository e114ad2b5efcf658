import type { Ahead } from "../sandbox/cell-store.ts";
import { lastExit } from "../sandbox/last-exit.ts";
import { processIo } from "./io.ts";
import { leaveSoon } from "./leave.ts";
import { main } from "./main.ts";
import { StopSignals } from "./stop-signals.ts";

/** `main` on this process's own arguments and streams. */
export async function runProcess(): Promise<void> {
  // Left to Node, this signal opens the inspector's port: to every user of the machine, with all that the run knows.
  process.on("SIGUSR1", () => {});
  const argv = process.argv.slice(2);
  const ahead = callsTools(argv) ? await launch(argv) : {};
  const signals = new StopSignals(lastExit);
  const io = processIo(() => signals.signal());
  const code = await main(argv, { ...io, ...ahead });
  // Where the command came to no run, nobody has.
  void ahead.firstThread?.retire();
  void ahead.firstHost?.retire();
  leaveSoon(code);
}

function callsTools(argv: readonly string[]): boolean {
  const [first, second] = argv;
  if (argv.includes("--help") || argv.includes("-h")) return false;
  return first === "run" || (first === "tools" && second === "call");
}

/** Then no tool runs in a thread of this process. */
function inProcesses(argv: readonly string[]): boolean {
  const at = argv.indexOf("--isolation");
  return (
    argv.includes("--isolation=process") || (at !== -1 && argv[at + 1] === "process") || argv.includes("--ci")
  );
}

/** On a second core the first thread or host is ready by the time that it is asked for. Why it can't start, the run will tell. */
async function launch(argv: readonly string[]): Promise<Ahead> {
  try {
    if (inProcesses(argv)) return await launchHost(argv);
    const { Cell } = await import("../sandbox/cell.ts");
    return { firstThread: await Cell.launch({ atomics: "sync" }) };
  } catch {
    return {};
  }
}

/** For this folder, with the seal that the flags ask for; a run that has others ends it and starts its own. */
async function launchHost(argv: readonly string[]): Promise<Ahead> {
  if (argv.some((flag) => flag.startsWith("-C") || flag.startsWith("--cwd"))) return {};
  const [host, { canonicalRoot }] = await Promise.all([
    import("../sandbox/host/host-ahead.ts"),
    import("../sandbox/guard/canonical-root.ts"),
  ]);
  const seal = argv.includes("--ci") || argv.includes("--require-seal") ? "require" : "try";
  return { firstHost: new host.HostAhead({ root: canonicalRoot(process.cwd()), seal }) };
}
