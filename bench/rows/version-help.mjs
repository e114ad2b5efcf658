import { spawnSync } from "node:child_process";
import { COMMAND } from "../lib/contenders.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";

const run = (args) => () => {
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore", env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
};

export async function measure({ quick }) {
  const times = await inTurns(
    { node: run(["-e", "0"]), version: run([COMMAND, "--version"]), help: run([COMMAND, "--help"]) },
    { rounds: quick ? 10 : 60 },
  );
  const of = (name) =>
    ratioOf({
      what: `\`--${name}\``,
      against: "`node -e 0`",
      unit: "ms",
      goal: { max: 1.3 },
      limit: "loading a file, and the modules that streams of output need",
      base: times.node,
      ours: times[name],
    });
  return { measures: [of("version"), of("help")] };
}
