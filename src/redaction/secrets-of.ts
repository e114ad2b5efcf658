import type { Secret } from "./redactor.ts";

const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|_PASS$|_PAT$|_AUTH$|_DSN$|DATABASE_URL$/i;
/** Says where a secret is, not what it is. */
const PLACE_NAME = /_(PATH|FILE|DIR|SOCK|HOME|PROGRAM|COMMAND)$/i;
const VALUE_MIN_CHARS = 8;

/** The variables of an environment that look like secrets. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(env).flatMap(([name, raw = ""]) => {
    const value = raw.trim();
    const isSecret = SECRET_NAME.test(name) && !PLACE_NAME.test(name) && value.length >= VALUE_MIN_CHARS;
    return isSecret ? [{ name, value }] : [];
  });
}
