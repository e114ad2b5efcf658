export type PathAccess = "read" | "write";

const ASCII_ONLY = /^[\x20-\x7e]*$/;
// Some file systems ignore these code points in names, or fold a letter with them to a plain one.
const IGNORED_BY_SOME = /[\p{Default_Ignorable_Code_Point}\u0307]/gu;
const PRIVATE_KEY_NAMES = [
  ...["rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk"].map((kind) => `id_${kind}`),
  ...["pem", "key", "p12", "pfx", "ppk", "jks", "keystore"].map((ending) => `*.${ending}`),
];

/** Each with at most one `*`, at its beginning or its end. */
const DENIED: readonly { names: readonly string[]; why: string }[] = [
  { names: [".env*"], why: "may hold secrets (.env*) and is not open to tools" },
  { names: [".ssh", ...PRIVATE_KEY_NAMES], why: "may hold a private key and is not open to tools" },
  { names: [".ruizn"], why: "belongs to the runtime (.ruizn: settings and logs) and is not open to tools" },
];

/** The names that may be neither read nor written, as globs without regard to case. */
export const DENIED_NAMES: readonly string[] = DENIED.flatMap(({ names }) => names);

/**
 * The built-in denies: why a path beneath the root may not be touched, as the end of a sentence that begins with the
 * path; undefined when it may. Names are compared folded (case, compatibility forms, invisible characters), on every
 * system: the file system under a workspace may fold them, and then another spelling is the same file.
 */
export function deniedPath(segments: readonly string[], access: PathAccess): string | undefined {
  for (const segment of segments) {
    const why = deniedName(fold(segment), access);
    if (why !== undefined) return why;
  }
  return undefined;
}

function deniedName(name: string, access: PathAccess): string | undefined {
  const denied = DENIED.find(({ names }) => names.some((pattern) => matches(name, pattern)));
  if (denied) return denied.why;
  // All of .git and not its config and hooks alone: a `.git` file, modules/*/config and worktrees lead there as well.
  if (name === ".git" && access === "write") return "is git's own (.git), which no tool may write";
  return undefined;
}

function fold(name: string): string {
  const plain = ASCII_ONLY.test(name) ? name : name.normalize("NFKC").toLowerCase().normalize("NFKD");
  return plain
    .toLowerCase()
    .replace(IGNORED_BY_SOME, "")
    .replace(/[. ]+$/, "");
}

function matches(name: string, pattern: string): boolean {
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1));
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
