import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandBraces } from "../../src/tools/walk/glob-braces.ts";
import { GlobPattern } from "../../src/tools/walk/glob-pattern.ts";

const matching = (glob: string, paths: string[], hidden = false): string[] => {
  const pattern = new GlobPattern(glob, { hidden, braces: true });
  return paths.filter((path) => pattern.matches(path));
};

describe("a glob matches", () => {
  it.each<[glob: string, yes: string[], no: string[]]>([
    ["*.ts", ["a.ts", "b.c.ts"], ["a.tsx", "src/a.ts", ".ts", "a.ts/x"]],
    ["**/*.ts", ["a.ts", "src/a.ts", "a/b/c.ts"], [".git/a.ts", "a/.b/c.ts", "a.js"]],
    ["src/**", ["src/a", "src/a/b"], ["src", "srca", "a/src/b", "src/.a"]],
    ["src/**/a", ["src/a", "src/x/a", "src/x/y/a"], ["src/a/b", "a"]],
    ["**", ["a", "a/b"], [".a", "a/.b"]],
    ["a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "b/c"]],
    ["?.md", ["a.md", "世.md", "😀.md"], ["ab.md", ".md"]],
    ["[a-c]*.x", ["a.x", "cz.x"], ["d.x", "A.x"]],
    ["[!a-c].x", ["d.x"], ["a.x", "/.x"]],
    ["[^a].x", ["b.x"], ["a.x"]],
    ["[]a].x", ["].x", "a.x"], ["b.x"]],
    ["secret[+-9]*", ["secret1", "secret.x"], ["secret/1", "secret/", "secretA"]],
    ["*.{js,ts}", ["a.js", "a.ts"], ["a.tsx", "a."]],
    ["{a,b/{c,d}}/e", ["a/e", "b/c/e", "b/d/e"], ["b/e", "c/e"]],
    ["a{,b}", ["a", "ab"], ["a{,b}"]],
    ["{a}", ["{a}"], ["a"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["\\{a,b\\}", ["{a,b}"], ["a"]],
    [".github/*", [".github/a"], [".github/.a", "x/.github/a"]],
    [".*", [".env", ".a"], ["a"]],
    ["a*b*c", ["abc", "axbxc", "abbcc"], ["ab", "acb"]],
    ["Datei ü*", ["Datei übung"], ["Datei u"]],
  ])("%s", (glob, yes, no) => {
    expect(matching(glob, [...yes, ...no])).toEqual(yes);
  });

  it("names with a leading dot by wildcards when hidden names are asked for", () => {
    expect(matching("**/*.ts", [".a/.b.ts", "c.ts"], true)).toEqual([".a/.b.ts", "c.ts"]);
  });
});

describe("a glob that is malformed is refused", () => {
  it.each([
    ["[a", "a [ without its ]"],
    ["a\\", "a backslash at the end of the pattern"],
    ["{1..100000000}", "{1..100000000}: ranges in braces are not known"],
    ["{a,b}".repeat(9), "more than 256 alternatives"],
  ])("%s", (glob, message) => {
    expect(() => new GlobPattern(glob, { hidden: false, braces: true })).toThrow(new SyntaxError(message));
  });
});

it("expands braces in order", () => {
  expect(expandBraces("x{a,{b,c}d}y")).toEqual(["xay", "xbdy", "xcdy"]);
  expect(expandBraces("a{b")).toEqual(["a{b"]);
  expect(expandBraces("[{,}]")).toEqual(["[{,}]"]);
});

describe("hostile globs take little time", () => {
  it.each([
    ["*a".repeat(200) + "z", "a".repeat(255)],
    ["**/".repeat(300) + "zzz", "a/".repeat(300) + "b"],
    ["**/*a*/".repeat(60) + "z", "aaaa/".repeat(500) + "b"],
    ["[!b]*".repeat(100) + "z", "a".repeat(255)],
  ])("%s", (glob, path) => {
    const started = process.cpuUsage();
    expect(matching(glob, [path])).toEqual([]);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

it("agrees with a regular expression on generated globs and paths", () => {
  const segment = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 5 });
  const glob = fc.array(fc.oneof(segment, fc.constant("**")), { minLength: 1, maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
  const path = fc.array(name, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(glob, path, (segments, names) => {
      const pattern = new GlobPattern(segments.join("/"), { hidden: false, braces: true });
      expect(pattern.matches(names.join("/"))).toBe(asRegExp(segments).test(names.join("/")));
    }),
    { numRuns: 3000 },
  );
});

function asRegExp(segments: string[]): RegExp {
  const last = segments.length - 1;
  const parts = segments.map((segment, index) => {
    if (segment === "**") return index === last ? "(?:[^/]+/)*[^/]+" : "(?:[^/]+/)*";
    const source = segment.replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
    return index === last ? source : `${source}/`;
  });
  return new RegExp(`^${parts.join("")}$`);
}
