import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { always, type PathAttack } from "./path-attack.ts";

const OUT = always("permission_error");

/** Attacks by symlinks and hard links that lie in the workspace. */
export const LINK_ATTACKS: readonly PathAttack[] = [
  {
    id: "SL-001",
    title: "is a link to a file outside",
    arrange: ({ root, outside }) => symlinkSync(join(outside, "secret.txt"), join(root, "l")),
    path: "l",
    ...OUT,
  },
  {
    id: "SL-001b",
    title: "is a relative link to a file outside",
    arrange: ({ root }) => symlinkSync("../outside/secret.txt", join(root, "l")),
    path: "l",
    ...OUT,
  },
  {
    id: "SL-002",
    title: "goes through a link to a directory outside",
    arrange: ({ root, outside }) => symlinkSync(outside, join(root, "d")),
    path: "d/secret.txt",
    ...OUT,
  },
  {
    id: "SL-002b",
    title: "is a link to a directory outside",
    arrange: ({ root, outside }) => symlinkSync(outside, join(root, "d")),
    path: "d",
    ...OUT,
  },
  {
    id: "SL-003",
    title: "is a chain of links that ends outside",
    arrange: ({ root }) => {
      symlinkSync("b", join(root, "a"));
      symlinkSync("sub/c", join(root, "b"));
      symlinkSync("../../outside/secret.txt", join(root, "sub/c"));
    },
    path: "a",
    ...OUT,
  },
  {
    id: "SL-004",
    title: "is an absolute link that lands inside",
    arrange: ({ root }) => symlinkSync(join(root, "ok.txt"), join(root, "l")),
    path: "l",
    read: ["ok"],
    write: ["permission_error"],
    list: ["invalid_input"],
    shows: "ok\n",
  },
  {
    id: "SL-005",
    title: "is a link that leaves and comes back",
    arrange: ({ root }) => symlinkSync("../root/ok.txt", join(root, "l")),
    path: "l",
    ...OUT,
  },
  {
    id: "SL-007",
    title: "is a chain of 41 links",
    arrange: ({ root }) => {
      symlinkSync("ok.txt", join(root, "s0"));
      for (let link = 1; link <= 41; link++) symlinkSync(`s${link - 1}`, join(root, `s${link}`));
    },
    path: "s41",
    read: ["invalid_input"],
    write: ["permission_error"],
    list: ["invalid_input"],
  },
  {
    id: "SL-009",
    title: "is a loop of links",
    arrange: ({ root }) => {
      symlinkSync("b", join(root, "a"));
      symlinkSync("a", join(root, "b"));
    },
    path: "a/x",
    ...always("invalid_input"),
  },
  {
    id: "SL-009b",
    title: "is a link to itself",
    arrange: ({ root }) => symlinkSync("a", join(root, "a")),
    path: "a",
    read: ["invalid_input"],
    write: ["permission_error"],
    list: ["invalid_input"],
  },
  {
    id: "SL-010",
    title: "is a link to what is missing inside",
    arrange: ({ root }) => symlinkSync("later.txt", join(root, "new")),
    path: "new",
    read: ["not_found"],
    write: ["permission_error"],
    list: ["not_found"],
  },
  {
    id: "SL-010b",
    title: "is a link to what is missing outside",
    arrange: ({ root, outside }) => symlinkSync(join(outside, "later.txt"), join(root, "new")),
    path: "new",
    ...OUT,
  },
  {
    id: "SL-011",
    title: "is a new file under a link to outside",
    arrange: ({ root, outside }) => symlinkSync(outside, join(root, "d")),
    path: "d/new.txt",
    ...OUT,
  },
  {
    id: "SL-012",
    title: "is a new file two new levels under a link to outside",
    arrange: ({ root, outside }) => symlinkSync(outside, join(root, "d")),
    path: "d/n1/n2/new.txt",
    ...OUT,
  },
  {
    id: "SL-013",
    title: "goes through an inner link and up, in a link's text",
    arrange: ({ root, outside }) => {
      symlinkSync(join(outside, "sub"), join(root, "deep"));
      symlinkSync("deep/../secret.txt", join(root, "l"));
    },
    path: "l",
    ...OUT,
  },
  {
    id: "SL-017",
    title: "writes git's hooks through a link",
    arrange: ({ root }) => {
      mkdirSync(join(root, ".git/hooks"), { recursive: true });
      symlinkSync(".git/hooks", join(root, "docs"));
    },
    path: "docs/pre-commit",
    write: ["permission_error"],
  },
  {
    id: "SL-017b",
    title: "reads a denied file through a link",
    arrange: ({ root, canary }) => {
      writeFileSync(join(root, ".env"), canary);
      symlinkSync(".env", join(root, "plain.txt"));
    },
    path: "plain.txt",
    read: ["permission_error"],
    write: ["permission_error"],
  },
  {
    id: "SL-018",
    title: "names the runtime's folder, which is a link",
    arrange: ({ root }) => {
      mkdirSync(join(root, "decoy"));
      symlinkSync("decoy", join(root, ".ruizn"));
    },
    path: ".ruizn/config.json",
    ...OUT,
  },
  {
    id: "SL-020",
    title: "goes through a directory that may not be searched",
    arrange: ({ root, outside }) => {
      mkdirSync(join(root, "x/y"), { recursive: true });
      symlinkSync(join(outside, "secret.txt"), join(root, "x/y/l"));
    },
    path: "x/y/l",
    ...OUT,
  },
  {
    id: "SL-022",
    title: "is a link whose text is not UTF-8",
    arrange: ({ root, canary }) => {
      symlinkSync(Buffer.from("bad\xff", "latin1"), join(root, "l"));
      writeFileSync(join(root, "bad\ufffd"), canary);
    },
    path: "l",
    read: ["invalid_input", "not_found"],
    write: ["permission_error"],
  },
  {
    id: "HL-001",
    title: "reads a hard link to a file outside",
    arrange: ({ root, outside }) => linkSync(join(outside, "secret.txt"), join(root, "h")),
    path: "h",
    read: ["ok"],
    list: ["invalid_input"],
    showsCanary: true,
  },
  {
    id: "HL-002",
    title: "writes a hard link to a file outside",
    arrange: ({ root, outside }) => linkSync(join(outside, "secret.txt"), join(root, "h")),
    path: "h",
    write: ["permission_error"],
    showsCanary: true,
  },
];
