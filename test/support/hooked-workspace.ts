import type { Workspace } from "../../src/sandbox/guard/workspace.ts";

/** A real workspace in which something happens around some of its methods: what another process does meanwhile. */
export function hookedWorkspace(workspace: Workspace, hooks: Partial<Workspace>): Workspace {
  return new Proxy(workspace, {
    get(target, name) {
      if (Object.hasOwn(hooks, name)) return Reflect.get(hooks, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
