import { customAlphabet } from "nanoid";

const suffix = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 6);

/** `YYYYMMDD-HHMMSS-` in UTC and six random lower-case alphanumerics: sorts by time, is safe in paths and arguments. */
export function newRunId(now: Date = new Date()): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  return `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${suffix()}`;
}
