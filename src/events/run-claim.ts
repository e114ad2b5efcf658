import { closeSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RuiZNError } from "../errors.ts";
import { errorCode, type Folder } from "./run-folder.ts";

const CLAIM_FILE = "writer.json";

/** Says which process writes a run's log, so that no second one goes on with a run that is still going. */
export class RunClaim {
  readonly #folder: Folder;

  private constructor(folder: Folder) {
    this.#folder = folder;
  }

  /**
   * A claim whose process is gone is taken over.
   * @throws RuiZNError log_unwritable when another process holds it; NodeJS.ErrnoException when it can't be made
   */
  static take(folder: Folder): RunClaim {
    try {
      writeClaim(folder);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      refuseIfHeld(folder);
      unlinkSync(folder.inside(CLAIM_FILE));
      writeClaim(folder);
    }
    return new RunClaim(folder);
  }

  /** Number of the process that writes the run's log now, when there is one. */
  static holder(folder: Folder): number | undefined {
    try {
      const claim = readClaim(folder);
      return claim && isAlive(claim) ? claim.pid : undefined;
    } catch {
      return undefined;
    }
  }

  release(): void {
    try {
      unlinkSync(this.#folder.inside(CLAIM_FILE));
    } catch {
      // Gone with its folder, or not ours to remove: a claim of a dead process holds nobody back.
    }
  }
}

interface Claim {
  pid: number;
  /** Tells the process from a later one of the same number; empty where the system does not say. */
  startedAt: string;
}

function writeClaim(folder: Folder): void {
  const fd = folder.open(CLAIM_FILE, "create");
  try {
    const claim: Claim = { pid: process.pid, startedAt: startOf(process.pid) ?? "" };
    writeFileSync(fd, JSON.stringify(claim));
  } finally {
    closeSync(fd);
  }
}

function refuseIfHeld(folder: Folder): void {
  const holder = RunClaim.holder(folder);
  if (holder === undefined) return;
  throw new RuiZNError("log_unwritable", `${folder.path}: process ${holder} still writes this run's log`, {
    hint: `wait for it to end; if it is no run of ruizn, remove ${join(folder.path, CLAIM_FILE)}`,
  });
}

/** Undefined for what is no claim: a kill between making and filling it leaves it empty. */
function readClaim(folder: Folder): Claim | undefined {
  const fd = folder.open(CLAIM_FILE, "read");
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(fd, "utf8")) as Partial<Claim>;
    return typeof pid === "number" && pid > 0 && typeof startedAt === "string"
      ? { pid, startedAt }
      : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function isAlive({ pid, startedAt }: Claim): boolean {
  const now = startOf(pid);
  if (now !== undefined) return now === startedAt || startedAt === "";
  try {
    process.kill(pid, 0);
    return startedAt === "";
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return errorCode(error) === "EPERM" && startedAt === "";
  }
}

/** When a process was started, in the kernel's ticks since boot; undefined when there is none or no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
