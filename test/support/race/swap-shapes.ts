import { linkSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AttackTree } from "../../../src/probe/attack-tree.ts";

interface Swap {
  readonly title: string;
  /** Puts at `swap` what takes the honest name's place; `target` is what it should stand for outside. */
  readonly arrange: (tree: AttackTree, swap: string, targets: { same: string; other: string }) => void;
  /** A hard link can't be told from the file itself: reads may show its content, writes must not change it. */
  readonly readMayShowCanary?: true;
}

/** What is exchanged with what. */
export interface SwapShape extends Swap {
  /** The honest name is a directory with f.txt, and that is what is attacked; otherwise it is a file. */
  readonly directory: boolean;
}

const SWAPS: readonly Swap[] = [
  {
    title: "an absolute symlink",
    arrange: ({ outside }, swap, { same }) => symlinkSync(join(outside, same), swap),
  },
  {
    title: "a relative symlink",
    arrange: (_tree, swap, { same }) => symlinkSync(join("../outside", same), swap),
  },
  {
    title: "a symlink of the other kind",
    arrange: ({ outside }, swap, { other }) => symlinkSync(join(outside, other), swap),
  },
  {
    title: "a chain of symlinks",
    arrange: ({ root, outside }, swap, { same }) => {
      symlinkSync("chain-2", swap);
      symlinkSync(join(outside, same), join(root, "chain-2"));
    },
  },
  { title: "a dangling symlink", arrange: (_tree, swap) => symlinkSync("../outside/made-by-race", swap) },
  { title: "a FIFO", arrange: (tree, swap) => tree.mkfifo(swap) },
  {
    title: "a hard link",
    arrange: ({ outside }, swap) => linkSync(join(outside, "f.txt"), swap),
    readMayShowCanary: true,
  },
];

export const SWAP_SHAPES: readonly SwapShape[] = [true, false].flatMap((directory) =>
  SWAPS.map((swap) => ({
    ...swap,
    directory,
    title: `a ${directory ? "directory" : "file"} and ${swap.title}`,
  })),
);

export interface ArrangedSwap {
  /** The two names to exchange. */
  readonly honest: string;
  readonly swap: string;
  /** What to attack; it shows "public" when the names are as they were. */
  readonly path: string;
  /** A write may land on the name that held the trap, and replaces it then: sets the trap again. Only while nobody swaps. */
  readonly rearm: () => void;
  /** Both names as they were at first. Only while nobody swaps. */
  readonly renew: () => void;
}

export function arrangeSwap(tree: AttackTree, shape: SwapShape): ArrangedSwap {
  const honest = join(tree.root, shape.directory ? "dir" : "file");
  const swap = join(tree.root, "swap");
  const path = shape.directory ? "dir/f.txt" : "file";
  writeFileSync(join(tree.outside, "f.txt"), tree.canary);
  const set = (): void => {
    rmSync(join(tree.root, "chain-2"), { force: true });
    shape.arrange(
      tree,
      swap,
      shape.directory ? { same: ".", other: "f.txt" } : { same: "f.txt", other: "." },
    );
  };
  const renew = (): void => {
    for (const name of [honest, swap]) rmSync(name, { recursive: true, force: true });
    if (shape.directory) mkdirSync(honest);
    writeFileSync(join(tree.root, path), "public");
    set();
  };
  renew();
  const rearm = (): void => {
    if (shape.directory || [honest, swap].some(isTrap)) return;
    rmSync(swap, { force: true });
    set();
  };
  return { honest, swap, path, rearm, renew };
}

/** Not a plain file of its own. */
function isTrap(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined || !stat.isFile() || stat.nlink > 1;
}
