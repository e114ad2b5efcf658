import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { exportRun } from "../../src/log/export-run.ts";
import { withBundle } from "../../src/log/open-bundle.ts";
import { tarHeader, tarPadding, TAR_END } from "../../src/log/tar.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import {
  callFinished,
  runFinished,
  runStarted,
  SAMPLE_RUN_ID,
  temporaryFolder,
  token,
  writeLog,
} from "../support/sample-log.ts";

const bigRun = () => [
  runStarted(),
  ...Array.from({ length: 40 }, (_, i) => token("é".repeat(i * 500))),
  ...[1, 2, 3].map((n) => callFinished(`t${n}`, String(n).repeat(70_000 * n))),
  runFinished(),
];

async function exported(events = bigRun()) {
  const log = writeLog(events);
  const file = join(temporaryFolder(), "run.tar.gz");
  await exportRun(log.path, SAMPLE_RUN_ID, file);
  return { ...log, bundle: file };
}

const verifyBundle = (file: string) => withBundle(file, verifyLog);

describe("exportRun", () => {
  it("writes one file, for the user alone, that verifies without the run's folder", async () => {
    const { path, bundle } = await exported();
    renameSync(path, `${path}.gone`);
    const { whole, end, runId } = await verifyBundle(bundle);
    expect([whole, end.events, runId, statSync(bundle).mode & 0o777]).toEqual([
      true,
      45,
      SAMPLE_RUN_ID,
      0o600,
    ]);
  });

  it("writes what tar unpacks to the very same folder", async () => {
    const { path, bundle } = await exported();
    const target = temporaryFolder();
    execFileSync("tar", ["xzf", bundle, "-C", target]);
    const unpacked = join(target, SAMPLE_RUN_ID);
    expect(readdirSync(unpacked)).toEqual(["blobs", "events.jsonl"]);
    for (const name of ["events.jsonl", ...readdirSync(join(path, "blobs")).map((blob) => `blobs/${blob}`)]) {
      expect(readFileSync(join(unpacked, name)).equals(readFileSync(join(path, name)))).toBe(true);
    }
  });

  it("gives the same bytes for the same log", async () => {
    const { path, bundle } = await exported();
    const again = join(temporaryFolder(), "again.tar.gz");
    await exportRun(path, SAMPLE_RUN_ID, again);
    expect(readFileSync(again).equals(readFileSync(bundle))).toBe(true);
  });

  it("takes along what was torn, and nothing that is no part of the log", async () => {
    const { path, file } = writeLog();
    truncateSync(file, statSync(file).size - 3);
    writeFileSync(join(path, "events.torn-1"), "{");
    writeFileSync(join(path, "writer.json"), "{}");
    writeFileSync(join(path, "notes.txt"), "x");
    mkdirSync(join(path, "blobs"));
    writeFileSync(join(path, "blobs", `${"0".repeat(64)}.part`), "x");
    const bundle = join(temporaryFolder(), "run.tar.gz");
    await exportRun(path, SAMPLE_RUN_ID, bundle);
    const names = await withBundle(bundle, (unpacked) => readdirSync(unpacked));
    expect(names).toEqual(["events.jsonl", "events.torn-1"]);
    expect((await verifyBundle(bundle)).problems.map(({ kind }) => kind)).toEqual(["unsealed", "torn"]);
  });

  it("does not write over a file that is there", async () => {
    const { path, bundle } = await exported();
    await expect(exportRun(path, SAMPLE_RUN_ID, bundle)).rejects.toMatchObject({
      code: "input_invalid",
      hint: "name another file with --output",
    });
  });
});

describe("withBundle", () => {
  const bundleOf = (tar: Buffer) => {
    const file = join(temporaryFolder(), "made.tar.gz");
    writeFileSync(file, gzipSync(tar));
    return file;
  };
  const entry = (name: string, text: string) =>
    Buffer.concat([tarHeader({ name, size: text.length }), Buffer.from(text), tarPadding(text.length)]);

  it("finds a byte that was changed in a bundle's log", async () => {
    const { bundle } = await exported();
    const tar = gunzipSync(readFileSync(bundle));
    tar[700] = (tar[700] as number) ^ 1;
    expect((await verifyBundle(bundleOf(tar))).whole).toBe(false);
  });

  it("refuses a bundle that was cut, and one that is none", async () => {
    const { bundle } = await exported();
    const packed = readFileSync(bundle);
    const tar = gunzipSync(packed);
    const cases: [string, Buffer][] = [
      ["Z_BUF_ERROR", packed.subarray(0, 2_000)],
      ["Z_DATA_ERROR", Buffer.from("no gzip at all")],
      ["it breaks off", gzipSync(tar.subarray(0, 512 * 9))],
      ["it breaks off", gzipSync(Buffer.alloc(0))],
      ["no tar header where one must be", gzipSync(Buffer.alloc(2_000, 65))],
    ];
    for (const [why, bytes] of cases) {
      const file = join(temporaryFolder(), "cut.tar.gz");
      writeFileSync(file, bytes);
      await expect(verifyBundle(file)).rejects.toMatchObject({
        code: "input_invalid",
        message: `${file} is not the export of a run (${why})`,
      });
    }
    await expect(verifyBundle("/nowhere/run.tar.gz")).rejects.toMatchObject({
      message: "/nowhere/run.tar.gz is not the export of a run (ENOENT)",
    });
  });

  it("writes nothing outside its own folder, whatever names a bundle holds", async () => {
    const marker = join(temporaryFolder(), "escaped");
    for (const name of [
      marker,
      `r/../../../../../..${marker}`,
      "r/blobs/../../x",
      "../events.jsonl/x",
      "r/blobs/x",
      "r/events.jsonl.exe",
      "r/blobs",
    ]) {
      const file = bundleOf(Buffer.concat([entry(name.slice(0, 99), "x"), TAR_END]));
      await expect(verifyBundle(file)).rejects.toMatchObject({ code: "input_invalid" });
    }
    const link = tarHeader({ name: "r/events.jsonl", size: 0 });
    link.write("2", 156);
    await expect(verifyBundle(bundleOf(Buffer.concat([link, TAR_END])))).rejects.toThrow("no tar header");
    const twice = Buffer.concat([entry("r/events.jsonl", "a"), entry("s/events.jsonl", "b"), TAR_END]);
    await expect(verifyBundle(bundleOf(twice))).rejects.toThrow("EEXIST");
    expect(existsSync(marker)).toBe(false);
  });

  it("refuses a bundle that would fill the disk", async () => {
    const bomb = tarHeader({ name: "r/events.jsonl", size: 8_000_000_000 });
    await expect(verifyBundle(bundleOf(bomb))).rejects.toThrow("more than 4294967296 bytes");
  });
});
