import type { ProbeCase } from "./case.ts";

export interface SingleReason {
  /** What holds it. */
  layer: string;
  /** Why there is no second one. */
  reason: string;
}

/** Families whose cases are held in one place, and why. A case's own `heldBy` names its layer more closely. */
const BY_FAMILY: Readonly<Record<string, SingleReason>> = {
  "child-process": {
    layer: "seal",
    reason:
      "Node's permission model does not cover it; for git: its command line is the only place to say so",
  },
  "config-trust": {
    layer: "trust of the workspace",
    reason: "what is not read can't be judged a second time",
  },
  cpu: { layer: "deadline", reason: "only time tells an endless call from a slow one" },
  hardlink: { layer: "guard", reason: "the kernel knows no difference between the names of a file" },
  "json-schema": { layer: "schema", reason: "input is judged once, before anything happens" },
  log: { layer: "log", reason: "the chain and the check of the file under it are one mechanism" },
  mcp: { layer: "registration", reason: "a tool is judged once, before it is offered" },
  memory: { layer: "resource limits", reason: "each limit is for another kind of memory" },
  network: { layer: "seal", reason: "Node 20 and 22 have no permission for the network" },
  "prompt-injection": {
    layer: "policy and guard of each call",
    reason: "a run has no switches for its layers",
  },
  "provider-stream": { layer: "provider", reason: "a stream is read in one place" },
  "regex-glob": {
    layer: "deadline",
    reason: "patterns run in linear time, and the deadline ends what does not",
  },
  "result-forging": {
    layer: "form of the reply",
    reason: "a result enters the main thread in one place, and is read there before anything is made of it",
  },
  secrets: { layer: "seal", reason: "what the kernel tells of a process is beyond Node's permission model" },
  signal: { layer: "orderly end", reason: "a signal is handled in one place" },
  "size-content": { layer: "size limits", reason: "a size is limited where it arises" },
  "state-leakage": {
    layer: "a thread of its own for each call",
    reason: "there is nothing left to leak from",
  },
  "terminal-output": { layer: "printer", reason: "what is printed passes one place" },
  "tool-name": { layer: "registry", reason: "a name is looked up in one place" },
  "worker-lifecycle": {
    layer: "a thread of its own for each call",
    reason: "its end is the main thread's to see",
  },
};

const OTHERWISE: SingleReason = {
  layer: "guard",
  reason: "what is denied by name inside the workspace is open to the seal, which knows no names",
};

/** Held even without the one layer that could be switched off, which leaves what can't be. */
const REST: Readonly<Record<string, SingleReason>> = {
  network: { layer: "what a host starts with", reason: "it holds no socket that could be used" },
  secrets: { layer: "what a host starts with", reason: "it holds no secret that could be taken" },
};

/** For cases that name what holds them. */
const OWN: Readonly<Record<string, string>> = {
  "child-process": "there is one place where it is decided what is run",
  secrets:
    "what the workspace holds is for the model to read; of its secrets, known forms and values are taken out",
};

/** What alone holds a case of which no second layer was shown; `rest`: not the one that was switched off. */
export function singleReason({ family, heldBy }: ProbeCase, { rest }: { rest: boolean }): SingleReason {
  const known = (rest ? REST[family] : undefined) ?? BY_FAMILY[family] ?? OTHERWISE;
  return heldBy === undefined ? known : { layer: heldBy, reason: OWN[family] ?? known.reason };
}
