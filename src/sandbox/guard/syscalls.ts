/** System calls that Node does not have. The worker's entry passes them in: nothing in src loads native code. */
export interface GuardSyscalls {
  /**
   * openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS: a descriptor, or the negative errno; undefined when
   * the kernel does not have the call.
   */
  openat2(dirfd: number, path: string, flags: number, mode: number): number | undefined;
  /** close(2) for a descriptor from openat2: Node's own close warns about one that Node did not open. */
  close(fd: number): void;
  /** fchmod(2), which Node's permission model takes away from Node: whether it worked. */
  fchmod?(fd: number, mode: number): boolean;
}
