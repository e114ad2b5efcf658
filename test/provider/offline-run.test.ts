import { describe, expect, it } from "vitest";
import { OfflineProvider } from "../../src/provider/offline/offline-provider.ts";
import { AgentRunner } from "../../src/runner/agent-runner.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { ALLOW_ALL, makeWorkspace } from "../support/run-agent.ts";

const FILES = {
  "README.md": "# Harbour\n\nHarbour keeps ships in a queue.\n",
  "notes.txt": "TODO count ships\n",
};

async function run(goal: string) {
  const { isError, terminalReason, result } = await new AgentRunner({
    goal,
    workspace: makeWorkspace(FILES),
    provider: new OfflineProvider(),
    tools: readTools(),
    policy: ALLOW_ALL,
    seal: "try",
    log: false,
  }).run();
  return { isError, terminalReason, result };
}

describe("a whole run without a model, through real tools in workers", () => {
  it.each([
    ["读取当前目录下的 README.md", "标题：Harbour"],
    ["Read README.md and notes.txt", "- Harbour keeps ships in a queue."],
    ["list the files here", ".: 0 folders, 2 files\n  README.md\n  notes.txt"],
    ["find all *.md files", "1 file found\n  README.md"],
    ["find all *.zip files", "No file matches."],
    ["search for TODO", "1 hit in 1 file\n  notes.txt:1:TODO count ships"],
    ["search for bananas", "Nothing matches."],
    ["Read REDME.md", "REDME.md: not_found"],
    ["Read REDME.md", "Did you mean README.md?"],
    ["Read ../outside.txt", "../outside.txt: permission_error"],
  ])("%s", async (goal, said) => {
    const { isError, result } = await run(goal);
    expect(result).toContain(said);
    expect(isError).toBe(false);
  });

  it("ends as a refusal when the goal asks for more", async () => {
    expect(await run("Write me a poem")).toMatchObject({ isError: true, terminalReason: "refusal" });
  });
});
