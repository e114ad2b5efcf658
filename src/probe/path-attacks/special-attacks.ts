import { renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { always, type PathAttack } from "./path-attack.ts";

const OUT = always("permission_error");
const BAD = always("invalid_input");

/** Leaves a socket's file behind: a server takes away only the name that it was given. */
function makeSocket(path: string): void {
  const server = createServer().listen(`${path}.listening`);
  renameSync(`${path}.listening`, path);
  server.close();
}

function linkTo(target: string): (tree: { root: string }) => void {
  return ({ root }) => symlinkSync(target, join(root, "l"));
}

/** Attacks by what is not a regular file, and by the kernel's own file systems. */
export const SPECIAL_ATTACKS: readonly PathAttack[] = [
  {
    id: "SF-001",
    title: "is a FIFO",
    arrange: (tree) => tree.mkfifo(join(tree.root, "p")),
    path: "p",
    ...BAD,
  },
  {
    id: "SF-003",
    title: "uses a FIFO as a directory",
    arrange: (tree) => tree.mkfifo(join(tree.root, "p")),
    path: "p/x",
    ...always("not_found", "invalid_input"),
  },
  {
    id: "SF-004",
    title: "is a socket",
    arrange: ({ root }) => makeSocket(join(root, "s")),
    path: "s",
    ...BAD,
  },
  { id: "SF-005", title: "is a link to an endless device", arrange: linkTo("/dev/zero"), path: "l", ...OUT },
  { id: "SF-006", title: "is a device", path: "/dev/zero", ...OUT },
  { id: "SF-007", title: "is the process's environment", path: "/proc/self/environ", ...OUT },
  { id: "SF-007b", title: "is the thread's environment", path: "/proc/thread-self/environ", ...OUT },
  { id: "SF-007c", title: "is another process's environment", path: "/proc/1/environ", ...OUT },
  {
    id: "SF-008",
    title: "is a link to the environment",
    arrange: linkTo("/proc/self/environ"),
    path: "l",
    ...OUT,
  },
  {
    id: "SF-010",
    title: "goes through a magic link to the root",
    arrange: linkTo("/proc/self/root"),
    path: "l/etc/passwd",
    ...OUT,
  },
  {
    id: "SF-010b",
    title: "goes through a magic link to the working directory",
    arrange: linkTo("/proc/self/cwd/.."),
    path: "l/outside/secret.txt",
    ...OUT,
  },
  { id: "SF-011", title: "is a descriptor of the process", path: "/proc/self/fd/1", ...OUT },
  { id: "SF-011b", title: "is a descriptor by its device", path: "/dev/fd/20", ...OUT },
  {
    id: "SF-011c",
    title: "is a link to a descriptor",
    arrange: linkTo("/proc/self/fd/0"),
    path: "l",
    ...OUT,
  },
  { id: "SF-013", title: "is in sysfs", path: "/sys/kernel/notes", ...OUT },
  { id: "SF-014", title: "is a file, listed", path: "ok.txt", list: ["invalid_input"] },
  {
    id: "SF-017",
    title: "is a link to a file of the kernel that blocks",
    arrange: linkTo("/proc/kmsg"),
    path: "l",
    ...OUT,
  },
];
