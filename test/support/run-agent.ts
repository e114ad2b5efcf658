import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { AgentRunner, type RunnerOptions } from "../../src/runner/agent-runner.ts";
import type { RunResult } from "../../src/runner/run-result.ts";
import { AnthropicProvider } from "../../src/provider/anthropic/anthropic-provider.ts";
import { type MessagesDouble, type MessagesDoubleOptions, startMessagesDouble } from "../../src/testing.ts";

export const ALLOW_ALL: RunnerOptions["policy"] = { decide: () => ({ allowed: true }) };

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).toReversed()) await undo();
});

/** A temporary workspace with these files; gone after the test. */
export function makeWorkspace(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "ruizn-test-"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

export async function startDouble(
  script: MessagesDoubleOptions["script"],
  options: Partial<MessagesDoubleOptions> = {},
): Promise<MessagesDouble> {
  const double = await startMessagesDouble({ script, ...options });
  cleanUp.push(() => double.close());
  return double;
}

export type LoggedEvent = { seq: number; type: string } & Record<string, unknown>;

/** Events as they stand in the log of a run. */
export function loggedEvents(result: Pick<RunResult, "runDir">): LoggedEvent[] {
  const text = readFileSync(join(result.runDir ?? "", "events.jsonl"), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LoggedEvent);
}

/** A whole run against a scripted double, through the real SDK, real workers and a real log. */
export async function runAgent(
  script: MessagesDoubleOptions["script"],
  options: Partial<RunnerOptions> & {
    files?: Record<string, string>;
    double?: Partial<MessagesDoubleOptions>;
  } = {},
): Promise<{ result: RunResult; double: MessagesDouble; events: LoggedEvent[]; workspace: string }> {
  const { files, double: doubleOptions, ...rest } = options;
  const double = await startDouble(script, doubleOptions);
  const workspace = options.workspace ?? makeWorkspace(files);
  const provider = new AnthropicProvider({
    model: "claude-test",
    apiKey: "sk-test-key",
    baseUrl: double.url,
    retryBaseMs: 2,
  });
  const runner = new AgentRunner({
    ...(options.resume ? {} : { goal: "do it" }),
    workspace,
    provider,
    tools: [],
    policy: ALLOW_ALL,
    seal: "try",
    log: {},
    ...rest,
  });
  const result = await runner.run();
  return { result, double, events: loggedEvents(result), workspace };
}
