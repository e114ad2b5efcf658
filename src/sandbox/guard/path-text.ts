import type { ToolErrorType } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { deniedPath, type PathAccess } from "./denied-paths.ts";

export type PathJudgement =
  | { ok: true /** Segments joined by `/`; `"."` is the root itself. */; relative: string }
  | { ok: false; errorType: ToolErrorType; message: string };

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ASCII_ONLY = /^[\x20-\x7e]*$/;
const KERNEL_FOLDERS: ReadonlySet<string | undefined> = new Set(["proc", "sys", "dev"]);
const SHOWN_MAX_CHARS = 200;

/**
 * Judges a path as text alone: main thread and worker run this same function before anything touches the disk. What
 * passes is relative to the root, without `.`, `..` and empty segments; whether it leads out through a symlink is for
 * the open to find. Never throws. `root` is canonical and absolute.
 */
export function judgePathText(path: string, root: string, access: PathAccess = "read"): PathJudgement {
  const spelling = refuseSpelling(path);
  if (spelling !== undefined) return refused("invalid_input", spelling);
  const segments = splitPath(path);
  if (segments.includes("..")) {
    return refused(
      "permission_error",
      `${shown(path)} steps up with ".."; name the path from the workspace root down`,
    );
  }
  const inside = isAbsolutePath(path) ? segmentsBeneath(segments, root) : segments;
  if (!inside) return refused("permission_error", outsideMessage(path, segments));
  const segment = inside.map(refuseSegment).find((why) => why !== undefined);
  if (segment !== undefined) return refused("invalid_input", `${shown(path)}: ${segment}`);
  const denied = deniedPath(inside, access);
  if (denied !== undefined) return refused("permission_error", `${shown(path)} ${denied}`);
  return { ok: true, relative: inside.length === 0 ? "." : inside.join("/") };
}

/** Without empty and `.` segments. Backslash is a separator on Windows only; elsewhere it is a character of a name. */
export function splitPath(path: string): string[] {
  const parts = path.split(process.platform === "win32" ? /[\\/]/ : "/");
  return parts.filter((segment) => segment !== "" && segment !== ".");
}

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || (process.platform === "win32" && /^(?:[\\/]|[A-Za-z]:)/.test(path));
}

/** What is left of an absolute path's segments after those of the root; undefined when it is not beneath the root. */
export function segmentsBeneath(segments: readonly string[], root: string): string[] | undefined {
  const rootSegments = splitPath(root);
  if (rootSegments.some((segment, index) => segments[index] !== segment)) return undefined;
  return segments.slice(rootSegments.length);
}

/** A path for a message: quoted, control characters escaped, cut when long. */
export function shown(path: string): string {
  return JSON.stringify(path.length > SHOWN_MAX_CHARS ? `${path.slice(0, SHOWN_MAX_CHARS)}…` : path);
}

function refused(errorType: ToolErrorType, message: string): PathJudgement {
  return { ok: false, errorType, message };
}

function refuseSpelling(path: string): string | undefined {
  if (typeof path !== "string") return "the path is not a string";
  if (path === "") return `the path is empty; "." names the workspace root`;
  // The number of UTF-16 units is never above the number of bytes, so a huge text is refused without encoding it.
  const bytes = path.length > LIMITS.pathMaxBytes ? path.length : Buffer.byteLength(path);
  if (bytes > LIMITS.pathMaxBytes) {
    return `the path ${shown(path)} has ${bytes} bytes or more, the limit is ${LIMITS.pathMaxBytes}`;
  }
  if (path.includes("\0")) return `the path ${shown(path)} contains a NUL character`;
  if (CONTROL_CHARACTER.test(path)) return `the path ${shown(path)} contains a control character`;
  if (LONE_SURROGATE.test(path)) return `the path ${shown(path)} is not well-formed Unicode`;
  return undefined;
}

function refuseSegment(segment: string): string | undefined {
  const bytes = ASCII_ONLY.test(segment) ? segment.length : Buffer.byteLength(segment);
  if (bytes > LIMITS.pathSegmentMaxBytes) {
    return `a name of ${bytes} bytes in it is too long, the limit is ${LIMITS.pathSegmentMaxBytes}`;
  }
  // Windows drops them, so that the name means another file there.
  if (segment.endsWith(".") || segment.endsWith(" ")) {
    return `the name ${shown(segment)} ends in a dot or a space, which some systems take for another name`;
  }
  if (process.platform === "win32" && segment.includes(":")) {
    return `the name ${shown(segment)} contains ":", which names another stream of a file`;
  }
  return undefined;
}

function outsideMessage(path: string, segments: readonly string[]): string {
  if (KERNEL_FOLDERS.has(segments[0])) {
    return `${shown(path)} is in /proc, /sys or /dev, which no tool may open; name a path in the workspace`;
  }
  return `${shown(path)} is outside the workspace; name a path relative to its root`;
}
