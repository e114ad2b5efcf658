import { lastExit } from "../sandbox/last-exit.ts";
import { processIo } from "./io.ts";
import { leaveSoon } from "./leave.ts";
import { main } from "./main.ts";
import { StopSignals } from "./stop-signals.ts";

/** `main` on this process's own arguments and streams. */
export async function runProcess(): Promise<void> {
  const signals = new StopSignals(lastExit);
  leaveSoon(
    await main(
      process.argv.slice(2),
      processIo(() => signals.signal()),
    ),
  );
}
