import fc from "fast-check";
import { mkdtempSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import {
  RECHECK_CHECKS,
  recheckReply,
  type RecheckCheck,
  type RecheckExpectation,
} from "../../src/sandbox/recheck.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-recheck-")));
const rootDev = statSync(root).dev;
const nonce = "5f0c1d2e3b4a59687786950a1b2c3d4e";
const expectation: RecheckExpectation = {
  nonce,
  root,
  rootDev,
  profile: "write",
  paths: [{ path: "a.txt", access: "read" }],
};
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20)]).toString("base64");

const read = { access: "read", real_path: join(root, "a.txt"), dev: rootDev, ino: 12, nlink: 1, bytes: 3 };
const wrote = { ...read, access: "write", real_path: join(root, "b/c.txt") };
const honest = {
  nonce,
  ok: true,
  content: [{ type: "text", text: "déjà\n" }],
  data: { bytes_total: 7, bytes_shown: 7, truncated: false, more: { deep: [1, null] } },
  evidence: [read, wrote],
};
const failed = {
  nonce,
  ok: false,
  error_type: "not_found",
  message: "no such file",
  data: {},
  evidence: [],
};

function image(media_type: string, data: string): object {
  return { type: "image", source: { type: "base64", media_type, data } };
}

function reply(head: object, bytes?: Uint8Array): object {
  return { head: JSON.stringify(head), ...(bytes ? { bytes } : {}) };
}

function evidence(change: object): object {
  return reply({ ...honest, evidence: [{ ...read, ...change }] });
}

function ranges(bytes: Uint8Array, ...pairs: [number, number][]): object {
  return reply({ ...honest, content: pairs.map((pair) => ({ type: "text", bytes: pair })) }, bytes);
}

describe("a reply that tells the truth", () => {
  it("passes, with text inline, as bytes and as an image", () => {
    const bytes = new TextEncoder().encode("\ufeffeins zwei €");
    const head = {
      ...honest,
      content: [{ type: "text", bytes: [0, 8] }, image("image/png", png), { type: "text", bytes: [8, 16] }],
    };
    expect(recheckReply(reply(head, bytes), expectation)).toEqual({
      ok: true,
      head,
      content: [
        { type: "text", text: "\ufeffeins " },
        image("image/png", png),
        { type: "text", text: "zwei €" },
      ],
    });
  });

  it("passes when the call failed, with its message as content", () => {
    expect(recheckReply(reply(failed), expectation)).toEqual({
      ok: true,
      head: failed,
      content: [{ type: "text", text: "no such file" }],
    });
  });

  it("passes without evidence when the call names no path", () => {
    const result = recheckReply(reply({ ...honest, evidence: [] }), { ...expectation, paths: [] });
    expect(result.ok).toBe(true);
  });

  it("passes with a full result of the largest size beside a full head", () => {
    const bytes = new Uint8Array(LIMITS.resultMaxBytes).fill(97);
    const head = {
      ...honest,
      content: [{ type: "text", bytes: [0, bytes.length] }],
      data: { note: "x".repeat(LIMITS.replyHeadMaxBytes - 1_000) },
    };
    expect(recheckReply(reply(head, bytes), expectation).ok).toBe(true);
    const large = {
      ...honest,
      content: [
        image(
          "image/png",
          Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(400_001)]).toString("base64"),
        ),
      ],
    };
    expect(recheckReply(reply(large), expectation).ok).toBe(true);
  });

  it("passes with a file that has other hard links, and one whose name ends in ' (deleted)'", () => {
    expect(recheckReply(evidence({ nlink: 2 }), expectation).ok).toBe(true);
    expect(recheckReply(evidence({ real_path: `${root}/a (deleted)` }), expectation).ok).toBe(true);
  });

  it("passes by name only where that is all there is", () => {
    const byName = evidence({ by_name: true });
    expect(recheckReply(byName, { ...expectation, byName: true }).ok).toBe(true);
    expect(recheckReply(byName, { ...expectation, byName: false })).toMatchObject({
      check: "evidence_by_name",
    });
  });

  it("passes from a device that is mounted beneath the root", () => {
    const proc = statSync("/proc").dev;
    const result = recheckReply(
      reply({ ...honest, evidence: [{ ...read, real_path: "/proc/x", dev: proc }] }),
      { ...expectation, root: "/", rootDev: proc + 1 },
    );
    expect(result.ok).toBe(true);
  });
});

const euro = new TextEncoder().encode("€€");
const shared = new Uint8Array(new SharedArrayBuffer(3));
const resizable = new Uint8Array(
  new (ArrayBuffer as unknown as new (size: number, options: object) => ArrayBuffer)(3, { maxByteLength: 9 }),
);
const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`) as object;

/** Each lies in one way; all else about it is true. */
const LIES: [string, RecheckCheck, unknown][] = [
  ["is not an object", "shape", "ok"],
  ["is nothing", "shape", undefined],
  ["is an array", "shape", [JSON.stringify(honest)]],
  ["has a third field", "shape", { ...reply(honest), extra: 1 }],
  ["has no head", "shape", { bytes: new Uint8Array(1) }],
  ["has a head that is an object", "shape", { head: honest }],
  [
    "has a head behind a getter",
    "shape",
    Object.defineProperty({}, "head", { enumerable: true, get: () => JSON.stringify(honest) }),
  ],
  ["is a proxy", "shape", new Proxy(reply(honest), {})],
  [
    "has a head over the limit",
    "head_size",
    reply({ ...honest, data: { note: "x".repeat(LIMITS.replyHeadMaxBytes) } }),
  ],
  [
    "has a head over every limit",
    "head_size",
    { head: " ".repeat(LIMITS.replyHeadMaxBytes + LIMITS.resultMaxBytes + 1) },
  ],
  ["has a head that is cut off", "head_json", { head: JSON.stringify(honest).slice(0, -1) }],
  [
    "has a key __proto__ in its data",
    "plain_json",
    { head: JSON.stringify(honest).replace("more", "__proto__") },
  ],
  [
    "has a key __proto__ written with an escape",
    "plain_json",
    { head: JSON.stringify(honest).replace("more", "\\u005f_proto__") },
  ],
  ["has data nested too deep", "plain_json", reply({ ...honest, data: deep })],
  [
    "has a number beyond all range",
    "plain_json",
    { head: JSON.stringify(honest).replace('"bytes_total":7', '"bytes_total":1e999') },
  ],
  ["is null inside", "schema", { head: "null" }],
  ["has an extra key in its head", "schema", reply({ ...honest, trusted: true })],
  [
    "has an extra key in its content",
    "schema",
    reply({ ...honest, content: [{ type: "text", text: "a", cache_control: {} }] }),
  ],
  ["has an extra key in its evidence", "schema", evidence({ checked: true })],
  [
    "has content of an unknown type",
    "schema",
    reply({ ...honest, content: [{ type: "tool_use", id: "a", name: "b", input: {} }] }),
  ],
  ["has no evidence field", "schema", reply({ nonce, ok: true, content: [], data: {} })],
  ["says ok and is an error", "schema", reply({ ...failed, ok: true })],
  ["has data that is a list", "schema", reply({ ...honest, data: [] })],
  ["shows a negative number of bytes", "schema", reply({ ...honest, data: { bytes_shown: -1 } })],
  ["says 'truncated' in words", "schema", reply({ ...honest, data: { truncated: "no" } })],
  ["has an inode of zero", "schema", evidence({ ino: 0 })],
  ["has a fractional inode", "schema", evidence({ ino: 1.5 })],
  ["read a negative number of bytes", "schema", evidence({ bytes: -1 })],
  ["touched a file in an unknown way", "schema", evidence({ access: "exec" })],
  ["says by_name: false", "schema", evidence({ by_name: false })],
  ["is a fail without a message", "schema", reply({ ...failed, message: "" })],
  ["carries the nonce of another call", "nonce", reply({ ...honest, nonce: "0".repeat(32) })],
  ["fails with a type of its own", "error_type", reply({ ...failed, error_type: "success" })],
  ["fails with a type that objects have", "error_type", reply({ ...failed, error_type: "constructor" })],
  ["has bytes that are a string", "bytes", { ...reply(honest), bytes: "abc" }],
  ["has bytes in a DataView", "bytes", { ...reply(honest), bytes: new DataView(new ArrayBuffer(3)) }],
  ["has shared bytes", "bytes", ranges(shared, [0, 3])],
  ["has resizable bytes", "bytes", ranges(resizable, [0, 3])],
  ["has bytes that no text uses", "bytes", reply(honest, euro)],
  ["has bytes with a failure", "bytes", reply(failed, euro)],
  ["has a gap between ranges", "bytes", ranges(euro, [0, 0], [3, 6])],
  ["has ranges that overlap", "bytes", ranges(euro, [0, 6], [3, 6])],
  ["has a range beyond the end", "bytes", ranges(euro, [0, 7])],
  ["has a range that runs backwards", "bytes", ranges(euro, [0, 3], [3, 0])],
  ["uses bytes and sends none", "bytes", reply({ ...honest, content: [{ type: "text", bytes: [0, 1] }] })],
  [
    "sends one byte too many",
    "size",
    ranges(new Uint8Array(LIMITS.resultMaxBytes + 1), [0, LIMITS.resultMaxBytes + 1]),
  ],
  [
    "sends text that is too large as JSON alone",
    "size",
    ranges(new Uint8Array(LIMITS.resultMaxBytes / 2 + 1).fill(0x22), [0, LIMITS.resultMaxBytes / 2 + 1]),
  ],
  [
    "sends too much in two ways",
    "size",
    reply(
      {
        ...honest,
        content: [
          { type: "text", bytes: [0, LIMITS.resultMaxBytes] },
          { type: "text", text: "x" },
        ],
      },
      new Uint8Array(LIMITS.resultMaxBytes),
    ),
  ],
  [
    "has a lone surrogate in a text",
    "unicode",
    reply({ ...honest, content: [{ type: "text", text: "\ud800" }] }),
  ],
  ["has a lone surrogate in its data", "unicode", reply({ ...honest, data: { note: ["\udc00"] } })],
  ["has a lone surrogate in a key", "unicode", reply({ ...honest, data: { "\ud800": 1 } })],
  ["has bytes that are not UTF-8", "unicode", ranges(Uint8Array.of(0xc3, 0x28), [0, 2])],
  ["cuts a character in two", "unicode", ranges(euro, [0, 1], [1, 6])],
  ["says PNG and is a JPEG", "image", reply({ ...honest, content: [image("image/jpeg", png)] })],
  [
    "says WebP and is not",
    "image",
    reply({ ...honest, content: [image("image/webp", Buffer.from("RIFF1234WAVE").toString("base64"))] }),
  ],
  [
    "spells base64 in another way",
    "image",
    reply({ ...honest, content: [image("image/png", `${png.slice(0, -2)}\n==`)] }),
  ],
  ["names no file for a path", "evidence_missing", reply({ ...honest, evidence: [] })],
  ["read outside", "evidence_path", evidence({ real_path: "/etc/passwd" })],
  [
    "read in a sibling that begins with the root's name",
    "evidence_path",
    evidence({ real_path: `${root}evil/a` }),
  ],
  ["read by stepping up", "evidence_path", evidence({ real_path: `${root}/../a` })],
  ["read a relative path", "evidence_path", evidence({ real_path: root.slice(1) })],
  ["read a pipe", "evidence_path", evidence({ real_path: "pipe:[123]" })],
  ["read a path with NUL", "evidence_path", evidence({ real_path: `${root}/a\0` })],
  ["read what was removed", "evidence_path", evidence({ real_path: `${root}/a (deleted)`, nlink: 0 })],
  ["read a secrets file", "evidence_denied", evidence({ real_path: `${root}/app/.env.local` })],
  ["read a private key", "evidence_denied", evidence({ real_path: `${root}/.ssh/id_ed25519` })],
  [
    "read the run's own log",
    "evidence_denied",
    evidence({ real_path: `${root}/.ruizn/runs/1/events.jsonl` }),
  ],
  [
    "wrote git's hooks",
    "evidence_denied",
    evidence({ access: "write", real_path: `${root}/.git/hooks/pre-commit` }),
  ],
  [
    "wrote git's configuration in other case",
    "evidence_denied",
    evidence({ access: "write", real_path: `${root}/.GIT/config` }),
  ],
  ["read from another device", "evidence_device", evidence({ dev: statSync("/proc").dev })],
  ["read from a device that is not there", "evidence_device", evidence({ dev: 0xfff00 })],
];

describe("a reply that lies in one way", () => {
  it.each(LIES)("%s: %s", (_how, check, lie) => {
    expect(recheckReply(lie, expectation)).toEqual({ ok: false, check, detail: expect.any(String) });
  });

  it("wrote under the read profile", () => {
    for (const profile of ["read", "shell"] as const) {
      expect(recheckReply(reply(honest), { ...expectation, profile })).toMatchObject({
        check: "evidence_access",
      });
    }
  });

  it("is found out by every check there is", () => {
    const seen = new Set([...LIES.map(([, check]) => check), "evidence_access", "evidence_by_name"]);
    expect(RECHECK_CHECKS.filter((check) => !seen.has(check))).toEqual([]);
  });
});

describe("whatever comes", () => {
  it("never throws, and lets nothing pass that is not whole", () => {
    const cyclic: Record<string, unknown> = { head: JSON.stringify(honest) };
    cyclic["bytes"] = cyclic;
    const thrower = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    );
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withTypedArray: true,
      withNullPrototype: true,
    });
    const anything = fc.oneof(
      value,
      fc.constantFrom(cyclic, thrower, Symbol("s"), () => 1),
      fc.record({ head: value, bytes: value }),
    );
    fc.assert(
      fc.property(anything, (input) => {
        expect(recheckReply(input, expectation).ok).toBe(false);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it("never throws on a head in which any one value was replaced", () => {
    const texts = JSON.stringify(honest).split(/(?<=[,:[{])/);
    fc.assert(
      fc.property(fc.nat(texts.length - 1), fc.json(), (at, json) => {
        const head = texts.with(at, `${json},`).join("");
        const result = recheckReply({ head }, expectation);
        if (result.ok) expect(result.head.nonce).toBe(nonce);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});
