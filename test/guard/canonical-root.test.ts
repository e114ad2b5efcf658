import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { canonicalRoot } from "../../src/sandbox/guard/canonical-root.ts";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-root-")));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("canonicalRoot", () => {
  it("gives one spelling for every way to name a directory", () => {
    mkdirSync(join(base, "real"));
    symlinkSync("real", join(base, "alias"));
    for (const path of ["real", "alias", "alias/", "./alias/.", "alias/../real"]) {
      expect(canonicalRoot(`${base}/${path}`)).toBe(join(base, "real"));
    }
  });

  it.each(["/", "/proc", "/proc/self/fd", "/sys", "/dev", "", "a\0b", "no/such/place"])(
    "refuses %j",
    (path) => {
      expect(() => canonicalRoot(path)).toThrow(expect.objectContaining({ code: "workspace_invalid" }));
    },
  );

  it("refuses a file, and says so", () => {
    writeFileSync(join(base, "file"), "");
    expect(() => canonicalRoot(join(base, "file"))).toThrow(
      new RuiZNError(
        "workspace_invalid",
        `workspace ${JSON.stringify(join(base, "file"))} is not a directory`,
        {
          hint: "name an existing directory that holds the work and nothing else (-C DIR)",
        },
      ),
    );
  });
});

describe("what lies beneath a root and is no workspace", () => {
  it.runIf(process.platform === "linux")("is refused where a file system of the kernel is mounted", () => {
    const workspace = openWorkspace({ root: "/" });
    for (const path of ["proc/self/environ", "proc/self/status", "sys/kernel/notes"]) {
      expect(() => workspace.openFile(path)).toThrow(
        new ToolFailure(
          "permission_error",
          `"${path}" is in a file system of the kernel, which no tool may open`,
        ),
      );
    }
    workspace.close();
  });

  it("is gone when its directory was removed after it was opened", () => {
    mkdirSync(join(base, "d"));
    writeFileSync(join(base, "d/f"), "x");
    const workspace = openWorkspace({ root: base });
    const directory = workspace.openDirectory("d");
    rmSync(join(base, "d"), { recursive: true });
    expect(() => workspace.openEntry(directory, "f")).toThrow(
      new ToolFailure("not_found", `"f" does not exist`),
    );
    expect(() => workspace.open("d")).toThrow(new ToolFailure("not_found", `"d" does not exist`));
    workspace.close();
  });
});
