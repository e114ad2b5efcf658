import { readFileSync } from "node:fs";
import { segmentsBeneath, splitPath } from "../guard/path-text.ts";

/** A line of mountinfo: id, parent, major:minor, root, mount point. */
const MOUNT_LINE = /^\d+ \d+ (\d+):(\d+) \S+ (\S+) /;

/**
 * Whether a device may be met beneath the root: that of a mount beneath it, or a nameless one (major 0) that no mount
 * shows, as the layers of overlayfs and the subvolumes of btrfs have. Asked only for a device that is not the root's.
 */
export function isDeviceBeneath(dev: number, root: string): boolean {
  const number = deviceNumber(dev);
  const points = readMounts().filter((mount) => mount.major === number.major && mount.minor === number.minor);
  if (points.length === 0) return number.major === 0;
  return points.some((mount) => segmentsBeneath(splitPath(mount.point), root) !== undefined);
}

/** glibc's layout of dev_t. */
function deviceNumber(dev: number): { major: number; minor: number } {
  const value = BigInt(dev);
  const major = ((value >> 8n) & 0xfffn) | ((value >> 32n) & 0xfffff000n);
  const minor = (value & 0xffn) | ((value >> 12n) & 0xffffff00n);
  return { major: Number(major), minor: Number(minor) };
}

function readMounts(): { major: number; minor: number; point: string }[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, major, minor, point] = MOUNT_LINE.exec(line) ?? [];
    return point === undefined
      ? []
      : [{ major: Number(major), minor: Number(minor), point: unescaped(point) }];
  });
}

/** Space, tab, newline and backslash are written as octal. */
function unescaped(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
