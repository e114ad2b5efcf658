import { LogGuard } from "./ci/log-guard.ts";
import type { CliIo } from "./io.ts";

/** From now on nothing that is printed can be taken for a command of the machine that shows the log. */
export function guardOutputs(io: CliIo, { json }: { json: boolean }): void {
  const stdout = new LogGuard({ json });
  const stderr = new LogGuard({ json: false });
  io.stdout.guard((text) => stdout.push(text));
  io.stderr.guard((text) => stderr.push(text));
}
