import { lastExit } from "../sandbox/last-exit.ts";
import { processIo } from "./io.ts";
import { main } from "./main.ts";
import { StopSignals } from "./stop-signals.ts";

/** `main` on this process's own arguments and streams. */
export async function runProcess(): Promise<void> {
  const signals = new StopSignals(lastExit);
  process.exitCode = await main(
    process.argv.slice(2),
    processIo(() => signals.signal()),
  );
}
