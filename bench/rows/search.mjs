// grep and glob over a tree of 100,000 files, and how their cost grows with it.
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";
import { fdir } from "fdir";
import picomatch from "picomatch";
import { glob } from "tinyglobby";
import { withScratch } from "../lib/scratch.mjs";
import { statistics } from "../lib/statistics.mjs";
import { startTools } from "../lib/tools.mjs";
import { plantTree } from "../lib/tree.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";

const PATTERN = "needle-\\d+";
const GLOB = "**/*77.ts";
const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;

function ripgrep(cwd, files) {
  const out = execFileSync("rg", ["--line-number", "--no-heading", PATTERN, "."], { cwd, encoding: "utf8" });
  expectCount("rg", out.trim().split("\n").length, files / 500);
}

function expectCount(who, found, wanted) {
  if (found !== wanted) throw new Error(`${who} found ${found} instead of ${wanted}`);
}

async function grepAll(tools, path, files) {
  const { content } = await tools.mustCall("grep", { pattern: PATTERN, path, max_results: 2_000 });
  expectCount("grep", content[0].text.match(/needle-/g).length, files / 500);
}

const buffer = Buffer.alloc(65_536);

/** What the guard asks of the kernel for a folder: opened beneath the one above, named by the kernel, looked at, listed. */
function systemCalls(at, eachFile) {
  const fd = openSync(at, "r");
  readlinkSync(`/proc/self/fd/${fd}`);
  fstatSync(fd);
  const folder = opendirSync(`/proc/self/fd/${fd}`, { bufferSize: 256 });
  for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
    const below = `/proc/self/fd/${fd}/${entry.name}`;
    if (entry.isDirectory()) systemCalls(below, eachFile);
    else eachFile?.(below);
  }
  folder.closeSync();
  closeSync(fd);
}

/** The same for a file, which is read to its end. */
function fileCalls(at) {
  const fd = openSync(at, "r");
  readlinkSync(`/proc/self/fd/${fd}`);
  fstatSync(fd);
  while (readSync(fd, buffer) > 0);
  closeSync(fd);
}

export function measure({ quick }) {
  const files = quick ? 10_000 : 100_000;
  return withScratch(async (root) => {
    plantTree(root, files);
    const tools = await startTools(root);
    const [small, middle] = nested(root);
    const rounds = quick ? 2 : 4;
    const globs = await inTurns(
      {
        tinyglobby: () => glob(GLOB, { cwd: root }),
        fdir: () => new fdir().withRelativePaths().filter(picomatch(GLOB)).crawl(root).withPromise(),
        ours: () => tools.mustCall("glob", { pattern: GLOB, max_results: 10_000 }),
        calls: () => systemCalls(root),
      },
      { rounds },
    );
    const grown = [];
    for (const [path, count] of [
      [small, 1_000],
      [middle, 5_000],
      [".", files],
    ]) {
      grown.push({ count, times: await greps(tools, { root, path, count, rounds }) });
    }
    await tools.close();
    return {
      measures: [...globMeasures(globs, files), ...grepMeasures(grown.at(-1))],
      series: [plot(grown)],
    };
  });
}

/** Two folders of the tree with fewer files: one part, and five of them. */
function nested(root) {
  mkdirSync(join(root, "five"));
  for (let part = 1; part <= 5; part += 1)
    renameSync(join(root, `part-${part}`), join(root, "five", `part-${part}`));
  return ["part-0", "five"];
}

function greps(tools, { root, path, count, rounds }) {
  const contenders = {
    ours: () => grepAll(tools, path, count),
    calls: () => systemCalls(join(root, path), fileCalls),
  };
  if (hasRipgrep) contenders.ripgrep = () => ripgrep(join(root, path), count);
  return inTurns(contenders, { rounds });
}

const middleOf = (rounds) => statistics(rounds.flat()).median.toFixed(0);

function globMeasures(times, files) {
  const of = (name) =>
    ratioOf({
      what: `glob over ${files.toLocaleString("en")} files`,
      against: `${name}, which knows no .gitignore`,
      unit: "ms",
      goal: { max: 1 },
      limit: `every directory is opened beneath the root by its descriptor, named by the kernel and listed: ${middleOf(times.calls)} ms in one thread with nothing else`,
      base: times[name],
      ours: times.ours,
    });
  return [of("tinyglobby"), of("fdir")];
}

function grepMeasures({ count, times }) {
  const what = `grep over ${count.toLocaleString("en")} files`;
  if (!times.ripgrep) return [{ what, against: "ripgrep", goal: { max: 2 }, skipped: "no `rg` in the PATH" }];
  return [
    ratioOf({
      what,
      against: "ripgrep, its threads as it likes",
      unit: "ms",
      goal: { max: 2 },
      limit: `one thread, and every file opened by its folder's descriptor, named by the kernel, looked at, read to its end and closed: ${middleOf(times.calls)} ms with nothing else`,
      base: times.ripgrep,
      ours: times.ours,
    }),
  ];
}

function plot(grown) {
  const median = (rounds) => rounds.flat().toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)];
  const line = (name) => ({ name, points: grown.map(({ count, times }) => [count, median(times[name])]) });
  return {
    title: "grep over a tree",
    x: "files",
    y: "ms",
    lines: [line("ours"), ...(hasRipgrep ? [line("ripgrep")] : [])],
  };
}
