import { adviceFor } from "./doctor-advice.ts";
import { type DoctorFacts, gatherFacts } from "./doctor-facts.ts";
import { EXIT } from "./exit-codes.ts";

const OUTSIDE_THE_SEAL =
  "Asynchronous file access and name look-ups of a tool in a thread run on libuv's threads, outside the seal; built-in tools use neither, and in a tool host these threads are sealed too.";

/** Says what this machine offers to hold tools in, and tries it. The exit code: 0 when the seal holds, else 44. */
export async function runDoctor(
  io: { stdout: { write(text: string): void } },
  options: { json: boolean },
): Promise<number> {
  const facts = await gatherFacts();
  const advice = adviceFor(facts);
  const sealed = facts.self_check.state === "held" && facts.tool_host.self_check.state === "held";
  const text = options.json
    ? `${JSON.stringify({ type: "doctor", sealed, ...facts, advice }, null, 2)}\n`
    : asText(facts, advice);
  io.stdout.write(text);
  return sealed ? EXIT.success : EXIT.sealUnavailable;
}

function asText(facts: DoctorFacts, advice: readonly string[]): string {
  const lines = [
    ...machineLines(facts),
    "",
    "Profiles",
    ...facts.profiles.flatMap(({ name, workspace, refused }) => [
      `  ${name.padEnd(6)} workspace ${workspace}`,
      `         refused: ${refused.join(" ")}`,
    ]),
    "",
    "Self-check, tried just now from a worker of profile read",
    ...attemptLines(facts),
    "",
    "Self-check of a tool host, a process of its own",
    ...attemptLines(facts.tool_host),
    "",
    `Seal: ${facts.self_check.state}`,
    `Seal of tool hosts: ${facts.tool_host.self_check.state}`,
    OUTSIDE_THE_SEAL,
  ];
  if (advice.length > 0) lines.push("", "To do", ...advice.map((line) => `  - ${line}`));
  return `${lines.join("\n")}\n`;
}

function machineLines({ node, platform, arch, kernel, koffi, landlock_abi, seccomp }: DoctorFacts): string[] {
  const row = (good: boolean, name: string, value: string): string =>
    `${good ? "ok " : "no "} ${name.padEnd(9)} ${value}`;
  const { version, end_of_life, supported } = node;
  const until = end_of_life === undefined ? "" : ` until ${end_of_life}`;
  const age = supported ? `supported${until}` : `past its end of life, supported${until || " no more"}`;
  // It is koffi that asks the kernel.
  const missing = koffi === null ? "not known without koffi" : "not available";
  return [
    row(supported, "Node", `${version}, ${age}`),
    row(platform === "linux", "system", `${platform} ${kernel} ${arch}`),
    row(koffi !== null, "koffi", koffi?.version ?? "not installed"),
    row(landlock_abi > 0, "Landlock", landlock_abi > 0 ? `ABI ${landlock_abi}` : missing),
    row(seccomp, "seccomp", seccomp ? "available" : missing),
  ];
}

function attemptLines({ attempts, self_check }: Pick<DoctorFacts, "attempts" | "self_check">): string[] {
  if (self_check.state !== "held" && self_check.state !== "partial") {
    return [`  not made: ${self_check.reason ?? "no reason given"}`];
  }
  const escaped = new Set(self_check.escaped);
  return attempts.map((name) => `  ${escaped.has(name) ? "ESCAPED" : "refused"}  ${name}`);
}
