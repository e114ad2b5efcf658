import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";

/** One thread of piscina, with its defaults, that reads files. */
export function barePool() {
  return new Piscina({
    filename: fileURLToPath(new URL("../workers/bare-read.cjs", import.meta.url)),
    minThreads: 1,
    maxThreads: 1,
  });
}
