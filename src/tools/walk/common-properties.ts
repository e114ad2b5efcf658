/** Input properties that the walking tools share. */
export const WALK_PROPERTIES = {
  hidden: {
    type: "boolean",
    description: "Also look at names that begin with a dot (default false). .git is never looked into.",
  },
  gitignore: {
    type: "boolean",
    description: "Leave out what .gitignore and .ignore files name (default true).",
  },
} as const;
