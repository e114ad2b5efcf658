import { chmodSync, copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProfileOptions } from "../../src/sandbox/profile.ts";
import { SEALABLE, sealedPlace } from "./sealed-place.ts";

describe.runIf(SEALABLE)("a thread of profile shell", () => {
  const { place, start, folder } = sealedPlace("shell-profile");

  /** Runs a command of /bin/bash in the thread: what it printed and its exit code, or why it did not start. */
  const shell = (options: Partial<ProfileOptions>, command: string): Promise<unknown> =>
    start({ profile: "shell", ...options }).then(({ run }) =>
      run(
        ({ node: { childProcess }, input }) => {
          const { spawnSync } = childProcess;
          const { root, text, ...env } = input as Record<string, string> & { root: string; text: string };
          const { stdout, status, error } = spawnSync("/bin/bash", ["-c", text], {
            cwd: root,
            env,
            encoding: "utf8",
          });
          return error ? (error as NodeJS.ErrnoException).code : [stdout, status];
        },
        {
          text: command,
          root: options.root ?? place().root,
          PATH: "/usr/bin:/bin",
          OUT: place().outside,
          PORT: String(place().port),
          HOST: String(place().hostPid),
        },
      ),
    );

  test("runs programs that read the workspace and cannot change it", async () => {
    const told = await shell(
      {},
      "cat inside.txt; echo x > new 2>&1 || echo refused; ls /usr/bin/env; echo y > /dev/null",
    );
    expect(told).toEqual(["insiderefused\n/usr/bin/env\n", 0]);
  });

  test("runs programs that write the workspace when it may", async () => {
    const root = folder();
    const told = await shell(
      { root, shellWorkspace: "read-write" },
      "mkdir d && echo text > d/f && mv d/f g && ln -s g s && mkfifo p && touch g && cat s && rm -r d s p",
    );
    expect(told).toEqual(["text\n", 0]);
  });

  test("hands the seal on to every program it starts", async () => {
    const told = await shell(
      {},
      `refused() { bash -c "$1" > /dev/null 2>&1 && echo "got through: $1" || true; }
       refused "cat $OUT/secret.txt"
       refused "ls $OUT"
       refused "cat /proc/$HOST/environ"
       refused "cat /etc/shadow"
       refused "cat /proc/self/environ"
       refused "echo x > $OUT/new"
       refused "echo x > /tmp/ruizn-new"
       refused "chmod 777 $OUT/secret.txt"
       refused "exec 3<> /dev/tcp/127.0.0.1/$PORT"
       refused "kill -0 $HOST"
       refused "mount -t tmpfs none $OUT"
       refused "unshare -m true"
       refused "mknod device c 1 3"
       echo end`,
    );
    expect(told).toEqual(["end\n", 0]);
  });

  test("does not execute what lies in a workspace that it only reads", async () => {
    expect(await shell({}, "./hook.sh 2> /dev/null || echo refused")).toEqual(["refused\n", 0]);
    const root = folder();
    copyFileSync(join(place().root, "hook.sh"), join(root, "hook.sh"));
    chmodSync(join(root, "hook.sh"), 0o755);
    expect(await shell({ root, shellWorkspace: "read-write" }, "./hook.sh")).toEqual(["ran\n", 0]);
  });

  test("can shut a program in a namespace that takes with it what the program left running", async () => {
    const root = folder();
    const user = process.getuid?.() === 0 ? "" : "-U";
    const told = await shell(
      { root, shellWorkspace: "read-write" },
      `unshare ${user} -p -n -f --kill-child bash -c "(setsid sh -c 'sleep 0.3; echo late > late') > /dev/null 2>&1 & echo started"`,
    );
    expect(told).toEqual(["started\n", 0]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(readdirSync(root)).toEqual([]);
  });
});
