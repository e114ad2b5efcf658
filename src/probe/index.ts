/** All that the command loads of the probe, and in a bundle of its own: a run shares nothing with it. */
export { CATALOGUE } from "./catalogue.ts";
export { probeJunit, probeSarif } from "./report-files.ts";
export { runProbe } from "./run-probe.ts";
