import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runLogVerify } from "../../src/cli/log.ts";
import { runRunsExport, runRunsList, runRunsShow } from "../../src/cli/runs.ts";
import { EventBus } from "../../src/events/event-bus.ts";
import { EventWriter } from "../../src/events/event-writer.ts";
import { type RunEvent, ToolCallFinishedEvent } from "../../src/events/run-event.ts";
import {
  callFinished,
  callStarted,
  response,
  runFinished,
  runStarted,
  SAMPLE_RUN_ID,
  temporaryFolder,
  writeLog,
} from "../support/sample-log.ts";

function output() {
  const io = { text: "", stdout: { write: (text: string) => void (io.text += text) } };
  return io;
}

async function verify(workspace: string, run: string, json = false) {
  const io = output();
  const code = await runLogVerify(io, { place: { workspace }, run, json });
  return { code, text: io.text };
}

function addRun(workspace: string, runId: string, events: RunEvent[], at: string): EventWriter {
  const bus = new EventBus({ runId, now: () => new Date(at) });
  const writer = EventWriter.create({ workspace, runId, fsync: "none" });
  bus.subscribe(writer);
  for (const event of events) bus.publish(event);
  return writer;
}

describe("ruizn log verify", () => {
  it("says that a log is whole, by id, folder, file and export", async () => {
    const { workspace, path, file } = writeLog();
    const bundle = join(temporaryFolder(), "run.tar.gz");
    await runRunsExport(output(), { place: { workspace }, run: SAMPLE_RUN_ID, output: bundle });
    for (const run of [SAMPLE_RUN_ID, path, file, bundle]) {
      const { code, text } = await verify(workspace, run);
      expect([code, text.split("\n")[0]]).toEqual([0, `${SAMPLE_RUN_ID}: whole, 8 events, sealed`]);
    }
  });

  it("says where it is not, and exits 1", async () => {
    const { workspace, file } = writeLog();
    writeFileSync(file, readFileSync(file, "utf8").replace("line\\nfeed", "LINE\\nfeed"));
    const altered = await verify(workspace, SAMPLE_RUN_ID);
    expect([altered.code, altered.text]).toEqual([
      1,
      expect.stringContaining(
        `${SAMPLE_RUN_ID}: not whole, 8 events\n` +
          "  line 3: altered: this line is not what it was when the next one was written\n",
      ),
    ]);
    truncateSync(file, 1_500);
    const torn = await verify(workspace, SAMPLE_RUN_ID);
    expect(torn.text).toMatch(/line \d: torn: the last line breaks off after \d+ bytes/);
    expect(torn.text).toContain("unsealed: there is no run.finished at the end");
  });

  it("says it as JSON", async () => {
    const { workspace, path, file } = writeLog([runStarted()]);
    const { code, text } = await verify(workspace, SAMPLE_RUN_ID, true);
    expect([code, JSON.parse(text)]).toEqual([
      1,
      {
        type: "log_report",
        path,
        run_id: SAMPLE_RUN_ID,
        whole: false,
        events: 1,
        bytes: readFileSync(file).length,
        torn_bytes: 0,
        head: expect.stringMatching(/^[0-9a-f]{64}$/),
        problem_count: 1,
        problems: [
          {
            kind: "unsealed",
            line: 1,
            message: "there is no run.finished at the end: killed, still running, or cut",
          },
        ],
      },
    ]);
  });

  it("does not pass on what a log holds to the terminal as it is", async () => {
    const { workspace, file } = writeLog([runStarted()]);
    writeFileSync(
      file,
      '{"v":1,"seq":1,"run_id":"\u001b[2J","type":"x","f":{"$blob":"\u001b]0;x"}}\n'.replaceAll(
        "\u001b",
        "\\u001b",
      ),
    );
    const { text } = await verify(workspace, SAMPLE_RUN_ID);
    expect(text).not.toContain("\u001b");
  });

  it("names a run that does not exist", async () => {
    await expect(verify(temporaryFolder(), "20260722-182000-zzzzzz")).rejects.toMatchObject({
      code: "input_invalid",
      hint: "`ruizn runs list` shows the runs there are",
    });
  });
});

describe("ruizn runs list", () => {
  const list = (workspace: string, json = false) => {
    const io = output();
    expect(runRunsList(io, { place: { workspace }, json })).toBe(0);
    return io.text;
  };

  it("shows the newest run first, each with its state", () => {
    const workspace = temporaryFolder();
    expect(list(workspace)).toBe("there are no runs here\n");
    addRun(
      workspace,
      "20260101-000000-aaaaaa",
      [runStarted("first\ngoal"), runFinished()],
      "2026-01-01T00:00:00Z",
    ).close();
    addRun(
      workspace,
      "20260102-000000-bbbbbb",
      [runStarted("x".repeat(100))],
      "2026-01-02T00:00:00Z",
    ).close();
    const going = addRun(workspace, "20260103-000000-cccccc", [runStarted()], "2026-01-03T00:00:00Z");
    addRun(workspace, "20260104-000000-dddddd", [], "2026-01-04T00:00:00Z").close();
    expect(list(workspace).split("\n")).toEqual([
      "20260103-000000-cccccc  running                Read README.md",
      `20260102-000000-bbbbbb  unfinished             ${"x".repeat(59)}…`,
      "20260101-000000-aaaaaa  success     1 step     first\\ngoal",
      "20260104-000000-dddddd  unreadable",
      "",
    ]);
    going.close();
  });

  it("shows them as JSON", () => {
    const { workspace, path } = writeLog();
    expect(JSON.parse(list(workspace, true))).toEqual([
      {
        type: "run_summary",
        run_id: SAMPLE_RUN_ID,
        path,
        state: "success",
        started_at: "1970-01-01T00:00:00.000Z",
        goal: "Read README.md",
        provider: "offline",
        model: "offline",
        num_steps: 1,
        terminal_reason: "completed",
        usage: {
          input_tokens: 7,
          output_tokens: 3,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
      },
    ]);
  });
});

describe("ruizn runs show", () => {
  const show = (workspace: string, json = false) => {
    const io = output();
    expect(runRunsShow(io, { place: { workspace }, run: SAMPLE_RUN_ID, json })).toBe(0);
    return io.text;
  };

  it("tells what happened, step by step", () => {
    const failed = new ToolCallFinishedEvent({
      ...callFinished("t2", "not there"),
      is_error: true,
      error_type: "not_found",
    });
    const { workspace, path } = writeLog([
      runStarted(),
      response([{ type: "tool_use", id: "t1", name: "read_file", input: {} }]),
      callStarted("t1", { path: "\u001b[31m" }),
      callFinished("t1", "text"),
      callStarted("t2", { path: "x".repeat(200) }),
      failed,
      response([{ type: "text", text: "done" }], 2),
      runFinished(),
    ]);
    expect(show(workspace)).toBe(
      [
        `run       ${SAMPLE_RUN_ID} success`,
        "started   1970-01-01T00:00:00.000Z",
        "goal      Read README.md",
        "model     offline offline",
        "workspace /srv/app",
        "seal      held",
        `log       ${path}, 8 events, whole`,
        "step 1: end_turn, 7 tokens in, 3 out",
        '  read_file {"path":"\\u001b[31m"} ok 4 B 3 ms',
        `  read_file {"path":"${"x".repeat(90)}… error not_found 3 ms`,
        "step 2: end_turn, 7 tokens in, 3 out",
        "",
        "done",
        "",
      ].join("\n"),
    );
    expect(JSON.parse(show(workspace, true))).toMatchObject({
      run_id: SAMPLE_RUN_ID,
      events: 8,
      log_whole: true,
    });
  });

  it("shows what there is of a broken log", () => {
    const { workspace, file } = writeLog([runStarted()]);
    writeFileSync(
      file,
      '{"v":1,"seq":1,"ts":"t","run_id":"r","type":"llm.response","content":3}\nnot json\n{"to',
    );
    expect(show(workspace).split("\n").slice(1)).toEqual([
      `log       ${join(file, "..")}, 2 events, not whole: see \`ruizn log verify\``,
      "line 1 is llm.response without a valid step",
      "line 2 is not JSON",
      "line 3 breaks off",
      "",
    ]);
  });
});

describe("ruizn runs export", () => {
  it("writes into the workspace when told nothing else, and says where", async () => {
    const { workspace } = writeLog();
    const io = output();
    await runRunsExport(io, { place: { workspace }, run: SAMPLE_RUN_ID, output: undefined });
    const file = join(workspace, `${SAMPLE_RUN_ID}.tar.gz`);
    expect([io.text, existsSync(file)]).toEqual([`${file}\n`, true]);
  });
});
