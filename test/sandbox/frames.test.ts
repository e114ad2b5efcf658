import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import {
  encodeFrame,
  type Frame,
  FRAME_KINDS,
  FrameReader,
  HEADER_BYTES,
} from "../../src/sandbox/host/frames.ts";

const bytesOf = (frame: Parameters<typeof encodeFrame>[0]) => Buffer.concat(encodeFrame(frame));

/** A header that says what it likes. */
function header(length: number, kind: number, call: number, textBytes: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(length >>> 0, 0);
  head.writeUInt8(kind, 4);
  head.writeUInt32LE(call, 5);
  head.writeUInt32LE(textBytes >>> 0, 9);
  return head;
}

const REST = HEADER_BYTES - 4;
const REPLY = FRAME_KINDS.indexOf("reply") + 1;

describe("frames between the main process and a tool host", () => {
  it("come out as they went in, however the stream is cut", () => {
    const frame = fc.record({
      kind: fc.constantFrom("reply" as const),
      call: fc.nat(2 ** 32 - 1),
      text: fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => text.toWellFormed()),
      bytes: fc.uint8Array({ maxLength: 200 }),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 5 }), fc.array(fc.nat(900)), (frames, cuts) => {
        const stream = Buffer.concat(frames.map(bytesOf));
        const at = [0, ...cuts.filter((cut) => cut < stream.length).toSorted((a, b) => a - b), stream.length];
        const reader = new FrameReader(["reply"]);
        const got = at.slice(1).flatMap((end, index) => reader.push(stream.subarray(at[index], end)));
        const plain = ({ kind, call, text, bytes }: Frame) => ({ kind, call, text, bytes: [...bytes] });
        expect(got.map(plain)).toEqual(frames.map(plain));
        expect(reader.problem).toBeUndefined();
      }),
    );
  });

  it.each<[string, Buffer, string]>([
    ["of no kind", header(REST, 0, 1, 0), "a frame of a kind that is not known"],
    [
      "of a kind that is not for this side",
      bytesOf({ kind: "run", call: 1, text: "{}" }),
      "a frame of a kind that is not known",
    ],
    ["shorter than its text", header(REST + 1, REPLY, 1, 2), "a reply frame that is shorter than its text"],
    ["shorter than its header", header(0, REPLY, 1, 0), "a reply frame that is shorter than its text"],
    ["with too much text", header(2 ** 32 - 1, REPLY, 1, 2 ** 32 - 1), "a reply frame with too much text"],
    [
      "with too many bytes",
      header(REST + LIMITS.resultMaxBytes + 1, REPLY, 1, 0),
      "a reply frame with too many bytes",
    ],
    ["of 4 GB", header(2 ** 32 - 1, REPLY, 1, 0), "a reply frame with too many bytes"],
    [
      "whose text is not UTF-8",
      Buffer.concat([header(REST + 1, REPLY, 1, 1), Buffer.from([0xff])]),
      "a reply frame whose text is not UTF-8",
    ],
  ])("%s end the reading for good", (_, lie, problem) => {
    const reader = new FrameReader(["reply"]);
    expect(reader.push(lie)).toEqual([]);
    expect(reader.problem).toBe(problem);
    expect(reader.push(bytesOf({ kind: "reply", call: 1, text: "{}" }))).toEqual([]);
  });

  it("of any bytes at all never throw, and take no memory before they are judged", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (chunks) => {
        const reader = new FrameReader(["reply", "failed", "ready", "idle", "note"]);
        for (const chunk of chunks) reader.push(chunk);
      }),
      { numRuns: 2_000 },
    );
  });
});
