import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import type { Stage } from "../stage.ts";

/** Exchanges two names over and over by renames, in a thread of its own. */
const SWAPPER = `const { workerData: [a, b], parentPort } = require("node:worker_threads"); const fs = require("node:fs");
const swap = () => { try { fs.renameSync(a, a + ".t"); fs.renameSync(b, a); fs.renameSync(a + ".t", b); } catch {} };
parentPort.postMessage("ready"); (function turn() { for (let n = 0; n < 50; n++) swap(); setImmediate(turn); })();`;

async function startSwapper(stage: Stage, a: string, b: string): Promise<void> {
  const worker = new Worker(SWAPPER, { eval: true, workerData: [a, b] });
  stage.after(() => worker.terminate());
  await new Promise((ready) => worker.once("message", ready));
}

const BUSY_MS = 700;

interface Race {
  /** What is exchanged: a folder with f.txt, or a file. */
  kind: "folder" | "file";
  tool: string;
  input: (path: string) => unknown;
}

/** One call after the other while the names change; the stage looks for the canary in each result, and outside at the end. */
function race(id: string, title: string, { kind, tool, input }: Race): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      const { root, outside } = stage.tree;
      const [honest, trap] = [join(root, "d"), join(root, "trap")];
      if (kind === "folder") mkdirSync(honest);
      writeFileSync(kind === "folder" ? join(honest, "secret.txt") : honest, "public");
      symlinkSync(kind === "folder" ? outside : join(outside, "secret.txt"), trap);
      await startSwapper(stage, honest, trap);
      const until = performance.now() + BUSY_MS;
      let calls = 0;
      let done = 0;
      while (performance.now() < until) {
        calls += 1;
        const { isError } = await stage.call(tool, input(kind === "folder" ? "d/secret.txt" : "d"));
        if (!isError) done += 1;
      }
      stage.findings.tried.splice(1, Infinity, `${calls} calls, ${done} of them on the honest file`);
      stage.findings.cameBack.splice(1);
    },
  };
}

const read = (path: string) => ({ path });
const write = (path: string) => ({ path, content: "changed", overwrite: true });
const edit = (path: string) => ({ path, edits: [{ old_string: "public", new_string: "public." }] });
const grep = () => ({ pattern: "[0-9a-f]{32}", path: "." });

export const TOCTOU_CASES: readonly ProbeCase[] = family(
  "toctou",
  { claim: "confidentiality", layers: ["worker-guard", "seal", "re-check"], alone: true },
  [
    race("TR-001", "exchanges a folder with a link while it is read", {
      kind: "folder",
      tool: "read_file",
      input: read,
    }),
    race("TR-002", "exchanges a file with a link while it is read", {
      kind: "file",
      tool: "read_file",
      input: read,
    }),
    race("TR-003", "exchanges a folder while it is listed", {
      kind: "folder",
      tool: "list_dir",
      input: () => ({ path: ".", depth: 3 }),
    }),
    race("TR-004", "exchanges a file while it is edited", { kind: "file", tool: "edit_file", input: edit }),
    race("TR-006", "exchanges a folder while a file in it is written", {
      kind: "folder",
      tool: "write_file",
      input: write,
    }),
    race("TR-006b", "exchanges a file while it is written", {
      kind: "file",
      tool: "write_file",
      input: write,
    }),
    race("TR-007", "exchanges a folder while folders are made in it", {
      kind: "folder",
      tool: "write_file",
      input: () => ({ path: `d/n${Math.random()}/m/f`, content: "x" }),
    }),
    race("TR-010", "exchanges what a search walks through", { kind: "folder", tool: "grep", input: grep }),
    {
      id: "TR-012",
      title: "takes the name of a temporary file beforehand",
      claim: "integrity",
      run: async (stage) => {
        const { root, outside } = stage.tree;
        for (const name of ["target.tmp", ".target.tmp", "target~", "target.new", ".target.swp"])
          symlinkSync(join(outside, "t"), join(root, name));
        stage.expects(await stage.call("write_file", { path: "target", content: "x" }), ["ok"]);
        stage.holds(lstatSync(join(root, "target")).isFile(), "the target is no file");
      },
    },
    {
      id: "TR-013",
      title: "changes a file between its reading and its edit",
      claim: "integrity",
      run: async (stage) => {
        const path = join(stage.tree.root, "f.txt");
        writeFileSync(path, "one\n");
        const { data } = await stage.call("read_file", { path: "f.txt" });
        writeFileSync(path, "one\nsomebody else's\n");
        const expected_sha256 = String(data["sha256"]);
        const edits = [{ old_string: "one", new_string: "two" }];
        await stage.call("edit_file", {
          path: "f.txt",
          edits,
          ...(expected_sha256.length === 64 && { expected_sha256 }),
        });
        stage.holds(
          readFileSync(path, "utf8").includes("somebody else's"),
          "what somebody else wrote is lost",
        );
      },
    },
    {
      id: "TR-014",
      title: "makes the root itself another folder while the run goes on",
      run: async (stage) => {
        const { base, root, outside } = stage.tree;
        const { renameSync } = await import("node:fs");
        await stage.call("read_file", { path: "ok.txt" });
        renameSync(root, join(base, "moved"));
        symlinkSync(outside, root);
        try {
          await stage.call("read_file", { path: "secret.txt" });
          await stage.call("list_dir", { path: "." });
          await stage.call("write_file", { path: "made.txt", content: "x" });
        } finally {
          rmSync(root);
          renameSync(join(base, "moved"), root);
        }
      },
    },
  ],
);
