// An agent in twenty lines: read-only tools in sealed workers, a policy, an answer.
import { AgentRunner, AnthropicProvider, OfflineProvider, readTools, RulePolicy } from "ruizn";

const { ANTHROPIC_API_KEY: apiKey } = process.env;
const tools = readTools();
const runner = new AgentRunner({
  goal: process.argv[2] ?? "Read README.md and tell me what it is about",
  workspace: process.cwd(),
  provider: apiKey ? new AnthropicProvider({ model: "claude-sonnet-5-5", apiKey }) : new OfflineProvider(),
  tools,
  policy: new RulePolicy({
    root: process.cwd(),
    sandbox: "read-only",
    rules: [],
    known: tools.map(({ name }) => name),
  }),
  seal: "try",
  log: {},
});
const { result, subtype, runDir } = await runner.run();
console.log(result);
console.error(`${subtype}; the log is in ${runDir}`);
