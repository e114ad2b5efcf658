import { LIMITS } from "../../limits.ts";
import type { WorkerSetup } from "../protocol.ts";
import { hostCode } from "./code-paths.ts";
import type { HostSetup } from "./messages.ts";
import { permissionFlags } from "./permission-flags.ts";

export interface HostOptions {
  worker: WorkerSetup;
  sharedThread: boolean;
  /**
   * Folders that Node's permission model lets the host read and write besides: the self-check's canary, so that the
   * attempts on it reach the kernel.
   */
  permitted?: readonly string[];
  /** Another program in the host's place: how tests play a host that lies. */
  entry?: string;
}

/** Where every thread of a process finds its own descriptors: the guard opens through it. */
const OWN_DESCRIPTORS = "/proc/self/fd";
/** Where a host reads how much memory it has. */
const OWN_STATUS = "/proc/self/status";
const HOST_DESCRIPTORS_MAX = 512;

/** The arguments of Node for a tool host. */
export function hostArguments({ worker, permitted = [], entry: other }: HostOptions): string[] {
  if (other !== undefined) return [other];
  const { entry, paths, lookup } = hostCode();
  const linux = process.platform === "linux";
  const descriptors = linux ? [OWN_DESCRIPTORS] : [];
  const permission = permissionFlags({
    nodeVersion: process.versions.node,
    read: [
      worker.root,
      ...worker.readPaths,
      ...paths,
      ...lookup,
      ...descriptors,
      ...(linux ? [OWN_STATUS] : []),
      ...permitted,
    ],
    write: [...(worker.profile === "read" ? [] : [worker.root, ...descriptors]), ...permitted],
  });
  const { hostPermission = worker.seal === "off" ? "off" : "on" } = worker.switches ?? {};
  const off = hostPermission === "off";
  return ["--no-warnings", ...(off ? [] : permission), entry];
}

export function hostSetup({ worker, sharedThread }: HostOptions, secret: string): HostSetup {
  return {
    worker,
    sharedThread,
    secret,
    codePaths: hostCode().paths,
    parent: process.pid,
    limits: { growthBytes: LIMITS.hostGrowthMaxBytes, descriptors: HOST_DESCRIPTORS_MAX },
  };
}
