import { ToolFailure } from "../../tools/tool-body.ts";
import { shown } from "./path-text.ts";

/** The code of a system error; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Node's permission model said no, before the system was asked. */
export function isNodesRefusal(error: unknown): boolean {
  return errnoOf(error) === "ERR_ACCESS_DENIED";
}

/** What a failed system call means for the model. Unknown codes refuse: there is no way on from them. */
export function openFailure(error: unknown, path: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = errnoOf(error);
  switch (code ?? "") {
    case "ENOENT":
      return new ToolFailure("not_found", `${shown(path)} does not exist`);
    case "ENOTDIR":
      return new ToolFailure("not_found", `${shown(path)} does not exist: a part of it is not a directory`);
    case "ELOOP":
    case "EINVAL":
    case "ENOTEMPTY":
      // Each was ruled out a moment before: what had the name then was swapped for something else.
      return new ToolFailure("permission_error", `${shown(path)} was replaced while it was being opened`);
    case "ENAMETOOLONG":
      return new ToolFailure("invalid_input", `${shown(path)} is longer than the file system allows`);
    case "EISDIR":
      return new ToolFailure("invalid_input", `${shown(path)} is a directory, not a file`);
    case "ENXIO":
    case "ENODEV":
    case "EOPNOTSUPP":
      return new ToolFailure("invalid_input", notRegular(path, "a socket, a FIFO or a device"));
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ERR_ACCESS_DENIED":
      return new ToolFailure(
        "permission_error",
        `the operating system refuses access to ${shown(path)} (${code})`,
      );
    default:
      return new ToolFailure("runtime_error", `${shown(path)} can't be opened (${code ?? String(error)})`);
  }
}

export function notRegular(path: string, kind: string): string {
  return `${shown(path)} is ${kind}; only regular files and directories are open to tools`;
}

export function symlinkRefused(path: string, target: string): ToolFailure {
  return new ToolFailure(
    "permission_error",
    `${shown(path)} is a symlink to ${shown(target)}, which is not followed here; name the file itself`,
  );
}
