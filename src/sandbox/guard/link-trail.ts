import { LIMITS } from "../../limits.ts";
import { ToolFailure } from "../../tools/tool-body.ts";
import { isAbsolutePath, segmentsBeneath, shown, splitPath } from "./path-text.ts";

// A link to `..` starts the way anew; this bounds what a hostile tree can make of that.
const STEPS_MAX = 10_000;

/** The way leads out of the workspace. */
export class LeavesWorkspace extends ToolFailure {
  constructor(message: string) {
    super("permission_error", message);
  }
}

/**
 * The way along a path whose symlinks are read and followed by us, name by name. A symlink that climbs over the root
 * or is absolute elsewhere ends it by its text alone: whatever it names outside is never asked for, so that nobody
 * learns whether it exists.
 */
export class LinkTrail {
  /** As asked for, for messages. */
  readonly asked: string;
  readonly #root: string;
  readonly #backToRoot: () => void;
  /** Names walked so far; none of them was a symlink. */
  #names: string[] = [];
  /** Names still to walk, the next one last. */
  readonly #pending: string[];
  #hops = 0;
  #steps = 0;

  /** `backToRoot` is called when the way goes on from the root. */
  constructor(root: string, segments: readonly string[], backToRoot: () => void = () => {}) {
    this.asked = segments.length === 0 ? "." : segments.join("/");
    this.#root = root;
    this.#backToRoot = backToRoot;
    this.#pending = segments.toReversed();
  }

  get names(): readonly string[] {
    return this.#names;
  }

  get followedAny(): boolean {
    return this.#hops > 0;
  }

  /** The next name to look at; undefined at the end. */
  next(): { name: string; last: boolean } | undefined {
    if (++this.#steps > STEPS_MAX) throw this.#tooMany();
    let ups = 0;
    while (this.#pending.at(-1) === "..") {
      this.#pending.pop();
      ups += 1;
      // Going back is never asked of the system: the directory may have been moved away meanwhile.
      if (this.#names.pop() === undefined) throw this.#leaves("..");
    }
    if (ups > 0) {
      this.#pending.push(...this.#names.toReversed());
      this.#restart();
    }
    const name = this.#pending.pop();
    return name === undefined ? undefined : { name, last: this.#pending.length === 0 };
  }

  /** The name was no symlink, and is where the way goes on from. */
  entered(name: string): void {
    this.#names.push(name);
  }

  /** The name was a symlink with this text. */
  follow(name: string, target: Buffer): void {
    const text = target.toString("utf8");
    // A target that is not UTF-8 would turn into another file's name.
    if (!Buffer.from(text).equals(target)) {
      throw new ToolFailure(
        "invalid_input",
        `the symlink ${shown(name)} names ${shown(text)}, which is not UTF-8`,
      );
    }
    if (++this.#hops > LIMITS.symlinkMaxHops || target.length > LIMITS.pathMaxBytes) throw this.#tooMany();
    const segments = splitPath(text);
    const inside = isAbsolutePath(text) ? segmentsBeneath(segments, this.#root) : segments;
    if (!inside) throw this.#leaves(text, name);
    if (isAbsolutePath(text)) this.#restart();
    this.#pending.push(...inside.toReversed());
  }

  #restart(): void {
    this.#names = [];
    this.#backToRoot();
  }

  #leaves(target: string, name?: string): ToolFailure {
    const link =
      name === undefined ? "goes through a symlink that" : `goes through the symlink ${shown(name)}, which`;
    const how =
      target === ".." ? "steps up out of the workspace" : `leads to ${shown(target)}, outside the workspace`;
    return new LeavesWorkspace(`${shown(this.asked)} ${link} ${how}`);
  }

  #tooMany(): ToolFailure {
    return new ToolFailure(
      "invalid_input",
      `${shown(this.asked)} goes through a symlink loop or more than ${LIMITS.symlinkMaxHops} symlinks`,
    );
  }
}
