import { chmodSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { change, creation, NEVER, one, OUT, PATH_LAYERS } from "../one-call.ts";

const TRAVERSAL: CaseRow[] = [
  one("PT-018", "climbs by a glob pattern", {
    tool: "glob",
    input: () => ({ pattern: "../**/*.txt" }),
    outcomes: NEVER,
  }),
  one("PT-020", "climbs by glob's folder", {
    tool: "glob",
    input: () => ({ pattern: "*", path: "../outside" }),
    outcomes: OUT,
  }),
  one("PT-021", "climbs by grep's folder", {
    tool: "grep",
    input: () => ({ pattern: "[0-9a-f]{32}", path: "../outside" }),
    outcomes: OUT,
  }),
  one("PT-022", "writes a new file outside", {
    tool: "write_file",
    input: () => ({ path: "../outside/new.txt", content: "x" }),
    outcomes: OUT,
  }),
  {
    id: "PT-024",
    title: "asks by an edit what a file outside holds",
    run: async (stage) => {
      const edit = (old_string: string) =>
        stage.call(
          "edit_file",
          { path: "../outside/secret.txt", edits: [{ old_string, new_string: "x" }] },
          { mayShow: true },
        );
      const [right, wrong] = [await edit(stage.canary), await edit("not in it")];
      for (const result of [right, wrong]) stage.expects(result, OUT);
      const text = (result: typeof right) => JSON.stringify(result.content);
      stage.holds(text(right) === text(wrong), "the answer tells whether the text is in the file");
    },
  },
  {
    id: "PT-025",
    title: "hides an escape behind an honest file in one patch",
    run: async (stage) => {
      const patch = `${change("ok.txt", "ok.txt", "ok")}${creation("../outside/new.txt")}`;
      stage.expects(await stage.call("apply_patch", { patch }), NEVER);
      const result = await stage.call("read_file", { path: "ok.txt" });
      stage.holds(JSON.stringify(result.content).includes('"ok\\n"'), "half of the patch was applied");
    },
  },
  one("PT-029", "moves a file out by a patch", {
    tool: "apply_patch",
    input: () => ({ patch: change("ok.txt", "../outside/moved.txt", "ok") }),
    outcomes: NEVER,
  }),
  one("PT-030", "deletes a file outside by a patch", {
    tool: "apply_patch",
    input: ({ canary }) => ({
      patch: `--- a/../outside/secret.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-${canary}\n`,
    }),
    outcomes: NEVER,
  }),
  one("PT-031", "climbs by braces in a glob pattern", {
    tool: "glob",
    input: () => ({ pattern: "{..,sub}/{outside,.}/*.txt" }),
    outcomes: [...NEVER, "ok"],
  }),
  one("PT-032", "climbs by git's paths", {
    tool: "git",
    input: () => ({ command: "log", path: "../outside/secret.txt" }),
    outcomes: NEVER,
  }),
];

const ABSOLUTE: CaseRow[] = [
  one("AP-007", "lists the system by an absolute pattern", {
    tool: "glob",
    input: () => ({ pattern: "/etc/*" }),
    outcomes: NEVER,
  }),
  one("AP-009", "searches the system", {
    tool: "grep",
    input: () => ({ pattern: "root", path: "/etc" }),
    outcomes: OUT,
  }),
  one("AP-010", "edits the system", {
    tool: "edit_file",
    input: () => ({ path: "/etc/ruizn-no-such-file", edits: [{ old_string: "a", new_string: "b" }] }),
    outcomes: OUT,
  }),
  one("AP-011", "searches beside the root by its absolute name", {
    tool: "grep",
    input: ({ tree }) => ({ pattern: "[0-9a-f]{32}", path: tree.outside }),
    outcomes: OUT,
  }),
];

const UNICODE: CaseRow[] = [
  {
    id: "UE-007",
    title: "gives a file a name that is not UTF-8, next to its look-alike",
    run: async (stage) => {
      const { root } = stage.tree;
      writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff, 0xfe])]), "bytes");
      writeFileSync(join(root, "bad\ufffd\ufffd"), "look-alike");
      const listed = await stage.call("list_dir", { path: "." });
      stage.expects(listed, ["ok"]);
      const text = JSON.stringify(listed.content);
      stage.holds(text.split("bad").length - 1 === 2, "two files are listed as one");
    },
  },
  {
    id: "UE-011",
    title: "forges entries by line ends and escapes in file names",
    claim: "honesty",
    run: async (stage) => {
      for (const name of ["a\nb", "a\rb", "a\u001b[31mb", "a\u2028b"])
        writeFileSync(join(stage.tree.root, name), "x");
      for (const [tool, input] of [
        ["glob", { pattern: "a*" }],
        ["list_dir", { path: "." }],
        ["grep", { pattern: "x", output_mode: "files_with_matches" }],
      ] as const) {
        const result = await stage.call(tool, input);
        const [block] = result.content;
        const text = block?.type === "text" ? block.text : "";
        // oxlint-disable-next-line no-control-regex -- these are what is looked for
        stage.holds(!/[\r\u001b]/.test(text), `${tool} shows control characters of a name as they are`);
        stage.holds(!/^b$/m.test(text), `${tool} shows one name as two lines`);
      }
    },
  },
];

const SIZE: CaseRow[] = [
  {
    id: "PS-004",
    title: "fills a folder with 20,000 files",
    claim: "availability",
    run: async (stage) => {
      const many = join(stage.tree.root, "many");
      mkdirSync(many);
      for (let file = 0; file < 20_000; file++) linkOrWrite(many, file);
      const result = await stage.call("list_dir", { path: "many" }, { timeoutMs: 2_000 });
      stage.expects(result, ["ok"]);
      stage.holds(result.truncated, "a listing that is cut does not say so");
    },
  },
  {
    id: "PS-005",
    title: "nests 600 folders",
    claim: "availability",
    run: async (stage) => {
      let folder = stage.tree.root;
      for (let level = 0; level < 600; level++) mkdirSync((folder = join(folder, "d")));
      for (const [tool, input] of [
        ["glob", { pattern: "**/*" }],
        ["grep", { pattern: "x" }],
        ["list_dir", { path: ".", depth: 8 }],
      ] as const)
        stage.expects(await stage.call(tool, input, { timeoutMs: 2_000 }), ["ok"]);
    },
  },
  {
    id: "PS-006",
    title: "takes away the right to read a folder in the middle of a tree",
    run: async (stage) => {
      mkdirSync(join(stage.tree.root, "x/y"), { recursive: true });
      chmodSync(join(stage.tree.root, "x"), 0);
      stage.after(() => chmodSync(join(stage.tree.root, "x"), 0o755));
      stage.expects(await stage.call("grep", { pattern: "ok" }), ["ok"]);
    },
  },
];

/** The first is written, the others are links to it: quick to make, and as many names. */
function linkOrWrite(folder: string, file: number): void {
  const name = join(folder, `f${file}`);
  if (file === 0) writeFileSync(name, "");
  else linkSync(join(folder, "f0"), name);
}

const common = { claim: "confidentiality", layers: PATH_LAYERS } as const;
export const PATH_TOOL_CASES: readonly ProbeCase[] = [
  ...family("path-traversal", common, TRAVERSAL),
  ...family("absolute-path", common, ABSOLUTE),
  ...family("unicode-encoding", common, UNICODE),
  ...family("path-size", common, SIZE),
];
