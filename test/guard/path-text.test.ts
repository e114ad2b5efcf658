import { describe, expect, it } from "vitest";
import { judgePathText } from "../../src/sandbox/guard/path-text.ts";

const ROOT = "/srv/root";

function judged(path: string, access: "read" | "write" = "read"): string {
  const result = judgePathText(path, ROOT, access);
  return result.ok ? result.relative : `${result.errorType}: ${result.message}`;
}

describe("judgePathText", () => {
  it.each([
    ["a/b.txt", "a/b.txt"],
    [".", "."],
    ["./", "."],
    ["./a//b/./c/", "a/b/c"],
    ["/srv/root", "."],
    ["/srv/root/a", "a"],
    ["//srv//root/./a", "a"],
    ["a b/ü€😀", "a b/ü€😀"],
    ["%2e%2e/x", "%2e%2e/x"],
    ["\uff0e\uff0e/x", "\uff0e\uff0e/x"],
    ["..\uff0fx", "..\uff0fx"],
    ["~/x", "~/x"],
    ["file:///etc/passwd", "file:/etc/passwd"],
    [".git/config", ".git/config"],
    [".gitignore", ".gitignore"],
    ["environment", "environment"],
    ["id_rsa.pub", "id_rsa.pub"],
  ])("takes %j as %j", (path, relative) => {
    expect(judged(path)).toBe(relative);
  });

  it.each([
    ["", `invalid_input: the path is empty; "." names the workspace root`],
    ["a\0b", `invalid_input: the path "a\\u0000b" contains a NUL character`],
    ["a\nb", `invalid_input: the path "a\\nb" contains a control character`],
    ["a\x1b[31m", `invalid_input: the path "a\\u001b[31m" contains a control character`],
    ["a\x85", `invalid_input: the path "a\x85" contains a control character`],
    ["a\ud800", `invalid_input: the path "a\\ud800" is not well-formed Unicode`],
    ["../x", `permission_error: "../x" steps up with ".."; name the path from the workspace root down`],
    ["a/..", `permission_error: "a/.." steps up with ".."; name the path from the workspace root down`],
    [
      "/srv/root/../rootevil/x",
      `permission_error: "/srv/root/../rootevil/x" steps up with ".."; name the path from the workspace root down`,
    ],
    [
      "/srv/rootevil/x",
      `permission_error: "/srv/rootevil/x" is outside the workspace; name a path relative to its root`,
    ],
    ["/srv", `permission_error: "/srv" is outside the workspace; name a path relative to its root`],
    ["/", `permission_error: "/" is outside the workspace; name a path relative to its root`],
    [
      "/proc/self/environ",
      `permission_error: "/proc/self/environ" is in /proc, /sys or /dev, which no tool may open; name a path in the workspace`,
    ],
    [
      "name.",
      `invalid_input: "name.": the name "name." ends in a dot or a space, which some systems take for another name`,
    ],
    [
      " ",
      `invalid_input: " ": the name " " ends in a dot or a space, which some systems take for another name`,
    ],
    [".env", `permission_error: ".env" may hold secrets (.env*) and is not open to tools`],
    ["a/.ENV.local", `permission_error: "a/.ENV.local" may hold secrets (.env*) and is not open to tools`],
    [".env/.", `permission_error: ".env/." may hold secrets (.env*) and is not open to tools`],
    [".e\u200bnv", `permission_error: ".e\u200bnv" may hold secrets (.env*) and is not open to tools`],
    ["\uff0eenv", `permission_error: "\uff0eenv" may hold secrets (.env*) and is not open to tools`],
    [
      "certs/server.KEY",
      `permission_error: "certs/server.KEY" may hold a private key and is not open to tools`,
    ],
    ["x/id_rsa", `permission_error: "x/id_rsa" may hold a private key and is not open to tools`],
    [
      ".ruizn/runs",
      `permission_error: ".ruizn/runs" belongs to the runtime (.ruizn: settings and logs) and is not open to tools`,
    ],
  ])("refuses %j", (path, message) => {
    expect(judged(path)).toBe(message);
  });

  it.each([
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.GIT/hooks/x",
    ".git",
    ".G\u0130T/config",
    "/srv/root/.git/x",
  ])("refuses to write %j", (path) => {
    expect(judged(path, "write")).toBe(
      `permission_error: ${JSON.stringify(path)} is git's own (.git), which no tool may write`,
    );
  });

  it("refuses what is too long, with a short message", () => {
    const long = judgePathText("a/".repeat(2_500), ROOT);
    expect(long).toMatchObject({ ok: false, errorType: "invalid_input" });
    expect(JSON.stringify(long).length).toBeLessThan(500);
    expect(judged("n".repeat(255))).toBe("n".repeat(255));
    expect(judged("n".repeat(256))).toContain("a name of 256 bytes in it is too long, the limit is 255");
    expect(judged("€".repeat(86))).toContain("a name of 258 bytes");
    expect(judgePathText("./".repeat(10_000_000), ROOT)).toMatchObject({
      ok: false,
      errorType: "invalid_input",
    });
  });

  it("compares segments with a root, not characters, also for the file system's root", () => {
    expect(judgePathText("/etc/x", "/")).toEqual({ ok: true, relative: "etc/x" });
    expect(judgePathText("/srv/root/x", "/srv/root/")).toEqual({ ok: true, relative: "x" });
    expect(judgePathText("/SRV/root/x", ROOT)).toMatchObject({ ok: false, errorType: "permission_error" });
  });

  it("refuses what is not a string without throwing", () => {
    for (const path of [undefined, null, 1, {}, ["a"]]) {
      expect(judgePathText(path as unknown as string, ROOT)).toMatchObject({
        ok: false,
        errorType: "invalid_input",
      });
    }
  });
});
