import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Place, SEALABLE, sealedPlace } from "./sealed-place.ts";
import { startThread } from "./sealed-thread.ts";

describe.runIf(SEALABLE)("descriptors of a sealed thread", () => {
  const { place, start, folder, bundle } = sealedPlace("descriptors");

  test("are opened beneath a folder by the kernel, and every way out is refused", async () => {
    const root = folder();
    mkdirSync(join(root, "inner"));
    writeFileSync(join(root, "inner", "file"), "text");
    symlinkSync("inner/file", join(root, "stays"));
    symlinkSync(join(place().outside, "secret.txt"), join(root, "leaves"));
    symlinkSync("../../../etc/passwd", join(root, "climbs"));
    symlinkSync("/proc/self/fd/0", join(root, "magic"));
    const { run } = await start({ profile: "read", root });
    const opened = await run(({ node: { fs }, openat2Beneath, closeDescriptor, input }) => {
      const directory = fs.openSync(String(input), "r");
      const results = [
        "inner/file",
        "stays",
        "leaves",
        "climbs",
        "magic",
        "..",
        "/etc/passwd",
        "missing",
      ].map((path) => {
        const fd = openat2Beneath(directory, path, fs.constants.O_RDONLY, 0);
        if (fd === undefined || fd < 0) return fd;
        const text = fs.readFileSync(fd, "utf8");
        closeDescriptor(fd);
        return text;
      });
      fs.closeSync(directory);
      return results;
    }, root);
    const EXDEV = -18;
    const ENOENT = -2;
    expect(opened).toEqual(["text", "text", EXDEV, EXDEV, EXDEV, EXDEV, EXDEV, ENOENT]);
  });

  test("do not stay behind, and cause no warning", async () => {
    const warnings: string[] = [];
    const listener = (warning: Error): number => warnings.push(warning.message);
    process.on("warning", listener);
    const count = (): number => readdirSync("/proc/self/fd").length;
    await (await startThread(bundle(), undefined)).stop();
    const before = count();
    for (const profile of ["read", "write", "shell"] as const) {
      const sealed = await start({ profile });
      await sealed.run(({ node: { fs }, openat2Beneath, closeDescriptor, input }) => {
        const directory = fs.openSync((input as Place).root, "r");
        for (let i = 0; i < 20; i++) {
          closeDescriptor(openat2Beneath(directory, "inside.txt", 0, 0) ?? -1);
          openat2Beneath(directory, "../x", 0, 0);
          openat2Beneath(directory, "missing", 0, 0);
        }
        fs.closeSync(directory);
      }, place());
      await sealed.stop();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("warning", listener);
    expect([count() - before, warnings]).toEqual([0, []]);
  });
});
