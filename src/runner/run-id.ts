import { randomBytes } from "node:crypto";
import { customRandom } from "nanoid";

/** By Node's own random bytes: nanoid's would load all of web crypto for six characters. */
const suffix = customRandom("0123456789abcdefghijklmnopqrstuvwxyz", 6, randomBytes);

/** `YYYYMMDD-HHMMSS-` in UTC and six random lower-case alphanumerics: sorts by time, is safe in paths and arguments. */
export function newRunId(now: Date = new Date()): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  return `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${suffix()}`;
}
