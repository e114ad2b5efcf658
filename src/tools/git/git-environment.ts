/** Settings that nothing in the repository can change: they come last, and from us. */
const FORCED: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "core.editor": "false",
  "core.askPass": "false",
  "core.sshCommand": "false",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.symlinks": "true",
  "core.quotePath": "false",
  "core.untrackedCache": "false",
  "diff.external": "",
  "diff.orderFile": "/dev/null",
  "gpg.program": "false",
  "i18n.logOutputEncoding": "utf-8",
  "log.showSignature": "false",
  "mailmap.file": "/dev/null",
  "protocol.allow": "never",
  "submodule.recurse": "false",
  "color.ui": "false",
  "column.ui": "never",
};

const PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";

/**
 * git's whole environment: no home, no settings but the repository's, no network, no questions. `filters` are the
 * names of filter drivers in the repository's settings; each is emptied, since a diff would run them.
 */
export function gitEnvironment(root: string, filters: readonly string[]): Record<string, string> {
  const settings: [string, string][] = Object.entries({ ...FORCED, "safe.directory": root });
  for (const name of filters) {
    for (const key of ["clean", "smudge", "process"]) settings.push([`filter.${name}.${key}`, ""]);
    settings.push([`filter.${name}.required`, "false"]);
  }
  const environment: Record<string, string> = {
    PATH,
    HOME: "/dev/null",
    LC_ALL: "C.UTF-8",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

/** Names of filter drivers among the keys that `git config --list --name-only -z` prints. */
export function filterNames(keys: string): string[] {
  const names = keys.split("\0").flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)];
}
