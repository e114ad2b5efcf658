import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { text, toolUse } from "../../testing/reply.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { type Command, logLines, scriptedModel, startCommand, until } from "../run-command.ts";
import type { Stage } from "../stage.ts";

const ENDLESS = text("word ".repeat(5_000), { eventDelayMs: 20 });
const RUN = ["run", "--goal", "go", "--output-format", "stream-json"];

/** A command that streams, or whose tool is busy, gets a signal; it must end soon, with a whole log. */
function signalled(id: string, title: string, signal: NodeJS.Signals, code: number, busy?: true): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      const command = busy ? await busyTool(stage) : await streaming(stage);
      const sentAt = performance.now();
      command.child.kill(signal);
      const end = await command.ended;
      const tookMs = performance.now() - sentAt;
      stage.holds(end.code === code, `it ended with ${end.code ?? end.signal}, promised is ${code}`);
      if (tookMs > 2_000) stage.degraded(`it took ${Math.round(tookMs)} ms to end`);
      wholeLog(stage);
    },
  };
}

function wholeLog(stage: Stage): void {
  const events = logLines(stage).map((line) => JSON.parse(line) as { type: string });
  stage.holds(events.at(-1)?.type === "run.finished", `the log ends with ${events.at(-1)?.type}`);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  stage.holds(count("tool_call.started") === count("tool_call.finished"), "a call has no end in the log");
}

async function streaming(stage: Stage): Promise<Command> {
  const command = startCommand(stage, RUN, await scriptedModel(stage, () => ENDLESS));
  await until(command, () => command.said.stdout.includes("llm.token"));
  return command;
}

/** The hostile tool loops for longer than the case takes. */
async function busyTool(stage: Stage): Promise<Command> {
  const env = await scriptedModel(stage, () => toolUse("hostile", { code: "for (;;);" }));
  const { module } = stage.hostile.read;
  const command = startCommand(
    stage,
    [...RUN, "--tool", new URL(module).pathname, "--tool-timeout", "30s"],
    env,
  );
  await until(command, () => command.said.stdout.includes("tool_call.started"));
  await sleep(150);
  return command;
}

/** Sockets that the process listens on. */
function listening(pid: number): number {
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .filter((line) => line.includes(" 0A "));
  const inodes = sockets.map((line) => line.trim().split(/\s+/)[9]);
  const own = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return inodes.filter((inode) => own.includes(`socket:[${inode}]`)).length;
}

export const SIGNAL_CASES: readonly ProbeCase[] = family(
  "signal",
  {
    claim: "availability",
    layers: [],
    notHere: () => (process.platform === "win32" ? "there are no signals here" : undefined),
  },
  [
    signalled("SG-001", "interrupts while a tool loops", "SIGINT", 130, true),
    signalled("SG-002", "interrupts while an answer streams", "SIGINT", 130),
    signalled("SG-004", "terminates while a tool loops", "SIGTERM", 143, true),
    signalled("SG-004b", "terminates while an answer streams", "SIGTERM", 143),
    signalled("SG-005", "takes the terminal away", "SIGHUP", 129),
    {
      id: "SG-003",
      title: "kills the command while a tool loops",
      run: async (stage) => {
        const command = await busyTool(stage);
        const children = childrenOf(command.child.pid ?? 0);
        stage.holds(children.length > 0, "there was no tool host to be left behind");
        command.child.kill("SIGKILL");
        await command.ended;
        const left = await goneWithin(children, 1_500);
        stage.holds(left.length === 0, `${left.length} processes are left`);
      },
      notHere: () => (process.platform === "linux" ? undefined : "processes are found by /proc"),
    },
    {
      id: "SG-006",
      title: "closes stdout while the command writes",
      run: async (stage) => {
        const command = await streaming(stage);
        command.child.stdout?.destroy();
        await sleep(200);
        command.child.kill("SIGTERM");
        const { signal } = await command.ended;
        stage.holds(signal === null, `it had to be killed: ${signal}`);
      },
    },
    {
      id: "SG-007",
      title: "stops and continues the command",
      run: async (stage) => {
        const command = await streaming(stage);
        command.child.kill("SIGSTOP");
        await sleep(400);
        command.child.kill("SIGCONT");
        await sleep(200);
        stage.holds(command.child.exitCode === null && command.child.signalCode === null, "it did not go on");
        command.child.kill("SIGINT");
        stage.holds((await command.ended).code === 130, "it did not end in order");
      },
    },
    {
      id: "SG-008",
      title: "opens the inspector by SIGUSR1",
      claim: "confidentiality",
      run: async (stage) => {
        const command = await streaming(stage);
        command.child.kill("SIGUSR1");
        await sleep(300);
        const gone = command.child.exitCode !== null || command.child.signalCode !== null;
        const ports = gone ? 0 : listening(command.child.pid ?? 0);
        stage.holds(ports === 0, "the inspector listens");
        command.child.kill("SIGINT");
        await command.ended;
      },
      notHere: () => (process.platform === "linux" ? undefined : "sockets are found by /proc"),
    },
  ],
);

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "))
    .filter((child) => child !== "")
    .map(Number);
}

async function goneWithin(pids: readonly number[], ms: number): Promise<number[]> {
  const alive = () => pids.filter((pid) => isAlive(pid));
  const until = performance.now() + ms;
  while (performance.now() < until && alive().length > 0) await sleep(25);
  return alive();
}

/** A zombie is gone: nobody is left to fetch it here. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
