// A subscriber of one's own: told every event in order, after the log has it. A slow one holds back only itself.
import { AgentRunner, OfflineProvider, readTools } from "ruizn";

const timings = {
  name: "timings",
  onEvent({ event }) {
    if (event.type === "tool_call.finished")
      console.log(
        `${event.name}: ${event.error_type ?? "ok"}, ${event.bytes_shown} bytes, ${event.isolation}`,
      );
    if (event.type === "run.finished") console.log(`${event.status} after ${event.steps} steps`);
  },
};

await new AgentRunner({
  goal: "Read README.md, and list the files in this directory",
  workspace: process.cwd(),
  provider: new OfflineProvider(),
  tools: readTools(),
  policy: { decide: () => ({ allowed: true }) },
  seal: "try",
  log: false,
  subscribers: [timings],
}).run();
