import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  appendFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { EventBus } from "../../src/events/event-bus.ts";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import { EventWriter } from "../../src/events/event-writer.ts";
import { type RunEvent, StepStartedEvent } from "../../src/events/run-event.ts";
import {
  callFinished,
  callStarted,
  runFinished,
  runStarted,
  SAMPLE_EVENTS,
  SAMPLE_RUN_ID,
  temporaryFolder,
  token,
  writeLog,
} from "../support/sample-log.ts";

const step = () => new StepStartedEvent({ step: 1 });
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const plain = (event: RunEvent) => JSON.parse(JSON.stringify(event));

function open(workspace: string, runsDir?: string) {
  const bus = new EventBus({ runId: SAMPLE_RUN_ID });
  const writer = EventWriter.create({ workspace, runId: SAMPLE_RUN_ID, fsync: "none", runsDir });
  bus.subscribe(writer);
  return { bus, writer };
}

function thrown(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof RuiZNError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("EventWriter", () => {
  it("writes one line of JSON per event, stamped, in order, each with the hash of the line before", () => {
    const { file } = writeLog();
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines.pop()).toBe("");
    let prev = "0".repeat(64);
    for (const [i, line] of lines.entries()) {
      const fields = JSON.parse(line);
      const { log_seal: seal, ...rest } = fields;
      expect(Object.keys(fields).slice(0, 6)).toEqual(["v", "seq", "ts", "run_id", "prev", "type"]);
      expect(rest).toEqual({
        v: 1,
        seq: i + 1,
        ts: "1970-01-01T00:00:00.000Z",
        run_id: SAMPLE_RUN_ID,
        prev,
        ...plain(SAMPLE_EVENTS[i] as RunEvent),
      });
      prev = sha256(line);
      if (i < lines.length - 1) expect(seal).toBeUndefined();
      else expect(seal).toBe(sha256(line.slice(0, line.indexOf(',"log_seal":"'))));
    }
  });

  it("has each event in the file when publish returns, tokens too", () => {
    const workspace = temporaryFolder();
    const { bus, writer } = open(workspace);
    for (const [i, event] of [runStarted(), step(), token("a"), token("b")].entries()) {
      bus.publish(event);
      expect(readFileSync(writer.path, "utf8").split("\n").length - 1).toBe(i + 1);
    }
    writer.close();
    writer.close();
  });

  it("makes folders for the user alone and ignores them in git", () => {
    const { workspace, path, file } = writeLog();
    const mode = (name: string) => (statSync(name).mode & 0o777).toString(8);
    const own = join(workspace, ".ruizn");
    expect([own, join(own, "runs"), path, file].map(mode)).toEqual(["700", "700", "700", "600"]);
    execFileSync("git", ["init", "-q"], { cwd: workspace });
    const status = execFileSync("git", ["status", "--porcelain", "--untracked-files=all"], {
      cwd: workspace,
    });
    expect(status.toString()).toBe("");
  });

  it("leaves a .gitignore that is there as it is", () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, ".ruizn"));
    writeFileSync(join(workspace, ".ruizn", ".gitignore"), "runs/\n");
    open(workspace).writer.close();
    expect(readFileSync(join(workspace, ".ruizn", ".gitignore"), "utf8")).toBe("runs/\n");
  });

  it("writes elsewhere when told to, through links in that path, and touches nothing in the workspace", () => {
    const workspace = temporaryFolder();
    const target = temporaryFolder();
    symlinkSync(target, join(target, "link"));
    const { writer } = open(workspace, join(target, "link", "deep", "runs"));
    writer.close();
    expect(realpathSync(writer.path)).toBe(
      join(realpathSync(target), "deep", "runs", SAMPLE_RUN_ID, "events.jsonl"),
    );
    expect(readdirSync(workspace)).toEqual([]);
  });

  it("refuses a second run of the same id", () => {
    const { workspace, path } = writeLog();
    expect(thrown(() => open(workspace))).toEqual({
      code: "log_unwritable",
      message: `the run's log can't be written: ${path} exists already`,
    });
  });

  describe("in a hostile checkout", () => {
    for (const name of [".ruizn", ".ruizn/runs"]) {
      it(`refuses ${name} as a symbolic link and writes nothing where it leads`, () => {
        const workspace = temporaryFolder();
        const outside = temporaryFolder();
        if (name !== ".ruizn") mkdirSync(join(workspace, ".ruizn"));
        symlinkSync(outside, join(workspace, name));
        expect(thrown(() => open(workspace))).toEqual({
          code: "log_unwritable",
          message: `the run's log can't be written: ${join(workspace, name)} is a symbolic link, which is never followed`,
        });
        expect(readdirSync(outside)).toEqual([]);
      });
    }

    it("refuses .ruizn as a file", () => {
      const workspace = temporaryFolder();
      writeFileSync(join(workspace, ".ruizn"), "");
      expect(thrown(() => open(workspace)).message).toBe(
        `the run's log can't be written: ${join(workspace, ".ruizn")} is not a folder`,
      );
    });

    it("does not write through a .gitignore that is a link", () => {
      const workspace = temporaryFolder();
      const outside = temporaryFolder();
      mkdirSync(join(workspace, ".ruizn"));
      symlinkSync(join(outside, "new"), join(workspace, ".ruizn", ".gitignore"));
      open(workspace).writer.close();
      expect(readdirSync(outside)).toEqual([]);
    });
  });

  describe("blobs", () => {
    const big = "ä".repeat(40_000);

    it("keep every line under 64 KiB and come back whole, the same content once", () => {
      const events = [
        runStarted(big),
        callStarted("t1", { text: big, more: [big, big] }),
        callFinished("t1", big),
        callFinished("t2", big),
        runFinished(),
      ];
      const { path, file } = writeLog(events);
      const lines = readFileSync(file, "utf8").split("\n");
      for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(65_536);
      expect([...eventsOf(readEvents(path))].map(({ event }) => event)).toEqual(events.map(plain));
      const names = readdirSync(join(path, "blobs"));
      expect(names.length).toBe(3);
      for (const name of names) {
        expect(sha256(readFileSync(join(path, "blobs", name)))).toBe(name);
        expect(lstatSync(join(path, "blobs", name)).mode & 0o777).toBe(0o600);
      }
    });

    it("hold many small fields as well as one large string", () => {
      const input = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key${i}`, i]));
      const { path, file } = writeLog([callStarted("t1", input)]);
      expect(statSync(file).size).toBeLessThan(65_536);
      expect([...eventsOf(readEvents(path))][0]?.event).toEqual(plain(callStarted("t1", input)));
    });

    it("are not mistaken for data that looks like a reference", () => {
      const inputs = [
        { $blob: "0".repeat(64), bytes: 3 },
        { $blob: 1 },
        { nested: { $blob: "x", bytes: 1 } },
      ];
      const { path } = writeLog(inputs.map((input) => callStarted("t1", input)));
      const back = [...eventsOf(readEvents(path))].map(({ event }) =>
        event.type === "tool_call.started" ? event.input : undefined,
      );
      expect(back).toEqual(inputs);
    });

    it("fill a line up to its last byte", () => {
      const sizeWith = (length: number) => statSync(writeLog([token("x".repeat(length))]).file).size;
      const others = sizeWith(1) - 1;
      expect(sizeWith(65_536 - others)).toBe(65_536);
      expect(sizeWith(65_537 - others)).toBeLessThan(1_000);
    });
  });

  describe("when the log is disturbed under the run", () => {
    const elsewhere = "1 whole event is on disk under another name";
    const cases: Record<string, { act: (file: string) => void; says: string | RegExp }> = {
      "its file was removed": {
        act: (file) => rmSync(file),
        says: "it was removed during the run; nothing of it is on disk",
      },
      "its file was moved": {
        act: (file) => renameSync(file, `${file}.old`),
        says: `it was moved away during the run; ${elsewhere}`,
      },
      "its folder was moved": {
        act: (file) => renameSync(join(file, ".."), join(file, "..", "..", "moved")),
        says: `it was moved away during the run; ${elsewhere}`,
      },
      "another file is in its place": {
        act: (file) => {
          renameSync(file, `${file}.old`);
          writeFileSync(file, "");
        },
        says: `another file was put in its place during the run; ${elsewhere}`,
      },
      "it was removed and made anew": {
        act: (file) => {
          writeFileSync(`${file}.new`, "");
          rmSync(file);
          renameSync(`${file}.new`, file);
        },
        says: "another file was put in its place during the run; nothing of it is on disk",
      },
      "a link is in its place": {
        act: (file) => {
          renameSync(file, `${file}.old`);
          symlinkSync(`${file}.old`, file);
        },
        says: `another file was put in its place during the run; ${elsewhere}`,
      },
      "somebody appended through a second name": {
        act: (file) => {
          linkSync(file, `${file}.link`);
          appendFileSync(`${file}.link`, "forged\n");
        },
        says: "; 1 whole event is on disk before what is not the run's",
      },
      "it was cut": {
        act: (file) => writeFileSync(file, ""),
        says: /it has 0 bytes where the run wrote \d+; it is not whole on disk$/,
      },
    };
    for (const [name, { act, says }] of Object.entries(cases)) {
      it(`ends the run before the next step or tool: ${name}`, () => {
        for (const next of [step(), callStarted("t1"), runFinished()]) {
          const { bus, writer } = open(temporaryFolder());
          bus.publish(runStarted());
          act(writer.path);
          const { code, message } = thrown(() => bus.publish(next));
          expect(code).toBe("log_unwritable");
          expect(message).toContain(`${writer.path}: event 2 (${next.type}) is lost: `);
          if (typeof says === "string") expect(message.endsWith(says), message).toBe(true);
          else expect(message).toMatch(says);
          expect(thrown(() => bus.publish(token("x"))).message).toBe(message);
          writer.close();
        }
      });
    }
  });

  it("ends the run when an event has no JSON form", () => {
    const { bus, writer } = open(temporaryFolder());
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(thrown(() => bus.publish(callStarted("t1", deep))).message).toContain("it has no JSON form");
    writer.close();
  });
});
