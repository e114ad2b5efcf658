/**
 * Whether a host is to be reached through the proxy, given the usual NO_PROXY list: host names that stand for
 * themselves and their subdomains, each with or without a leading dot and a port, or `*` for all.
 */
export function needsProxy(url: URL, noProxy: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return !noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", entryPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === "" || (entryPort !== undefined && entryPort !== port)) return false;
      return url.hostname === name || url.hostname.endsWith(`.${name}`);
    });
}
