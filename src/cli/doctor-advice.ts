import type { SealReport } from "../events/run-event.ts";
import type { DoctorFacts } from "./doctor-facts.ts";

/** The first ABI with each right that the seal would like to have. */
const ABI_TRUNCATE = 3;
const ABI_TCP = 4;
const ABI_SCOPES = 6;

/** What to do for each thing that is missing, one line each; empty when nothing is. */
export function adviceFor(facts: DoctorFacts): string[] {
  return [...nodeAdvice(facts), ...sealAdvice(facts)];
}

function nodeAdvice({ node }: DoctorFacts): string[] {
  if (node.supported) return [];
  const since = node.end_of_life === undefined ? "" : ` since ${node.end_of_life}`;
  return [
    `Node ${node.line} gets no security fixes any more (past its end of life${since}): install Node 24 or 26.`,
  ];
}

function sealAdvice(facts: DoctorFacts): string[] {
  if (facts.platform !== "linux") {
    return [
      `The kernel seal needs Linux; on ${facts.platform} tools are held by the guards alone, and races with a program that swaps files in the workspace are not held. Run in a Linux container or virtual machine.`,
    ];
  }
  if (facts.arch !== "x64" && facts.arch !== "arm64") {
    return [`The kernel seal knows x64 and arm64, not ${facts.arch}: run on one of these.`];
  }
  if (facts.koffi === null) {
    return ["koffi is not installed: run `npm install` without --omit=optional, or `npm install koffi`."];
  }
  return [...kernelAdvice(facts), ...checkAdvice(facts)];
}

function kernelAdvice(facts: DoctorFacts): string[] {
  const { state } = facts.self_check;
  if (state === "unavailable" && facts.landlock_abi === 0 && facts.seccomp) {
    return [
      "The kernel offers no Landlock: use Linux 5.13 or later with landlock among the boot option lsm= (see /sys/kernel/security/lsm); in a container, allow the landlock_* calls in its seccomp profile (Docker 20.10.8 and later do).",
    ];
  }
  if (state === "unavailable" && facts.landlock_abi > 0 && !facts.seccomp) {
    return ["The kernel offers no seccomp filters: use one built with CONFIG_SECCOMP_FILTER."];
  }
  return facts.landlock_abi > 0 ? abiAdvice(facts.landlock_abi) : [];
}

/** What an older ABI leaves to seccomp alone, or gives up. */
function abiAdvice(abi: number): string[] {
  const lacks = [
    ...(abi < ABI_TRUNCATE ? ["truncating (Linux 6.2)"] : []),
    ...(abi < ABI_TCP ? ["TCP (6.7)"] : []),
    ...(abi < ABI_SCOPES ? ["signals and abstract sockets (6.12)"] : []),
  ];
  if (lacks.length === 0) return [];
  return [
    `Landlock ABI ${abi} does not know ${lacks.join(", ")}: one layer less there, seccomp alone holds. A newer kernel adds it.`,
  ];
}

function checkAdvice({ self_check, tool_host }: DoctorFacts): string[] {
  const { state, reason = "no reason given" } = self_check;
  if (state === "partial") {
    return [
      `The seal did not hold (${reason}): use --require-seal to refuse to run like this, and report it as a vulnerability (SECURITY.md).`,
    ];
  }
  if (state === "unavailable") return [`There is no seal: ${reason}.`];
  return hostAdvice(tool_host.self_check);
}

/** Said when threads are sealed: what keeps these from it has its own advice. */
function hostAdvice({ state, reason = "no reason given" }: SealReport): string[] {
  if (state === "held") return [];
  return [
    `The seal of tool hosts did not hold (${reason}): run tool modules with --require-seal, which refuses them then, and report it (SECURITY.md).`,
  ];
}
