import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { type Place, SEALABLE, sealedPlace } from "./sealed-place.ts";

describe.runIf(SEALABLE)("a sealed thread", () => {
  const { place, start, folder } = sealedPlace("tool-profiles");

  test("reads and lists its workspace, by path and by descriptor", async () => {
    const { run } = await start({ profile: "read" });
    const seen = await run(({ node: { fs }, input }) => {
      const { root } = input as Place;
      const directory = fs.openSync(root, "r");
      const byDescriptor = fs.readFileSync(`/proc/self/fd/${directory}/inside.txt`, "utf8");
      const isRoot = fs.readlinkSync(`/proc/self/fd/${directory}`) === root;
      fs.closeSync(directory);
      return { names: fs.readdirSync(root), byDescriptor, isRoot };
    }, place());
    expect(seen).toEqual({
      names: ["addon.node", "hook.sh", "inside.txt"],
      byDescriptor: "inside",
      isRoot: true,
    });
  });

  test("still has a whole JavaScript: compiler, timers, random numbers, zlib, WebAssembly", async () => {
    const { run } = await start({ profile: "read" });
    const works = await run(async ({ node }) => {
      const hot = (n: number): number => {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += Math.imul(i, i) % 7;
        return sum;
      };
      let total = 0;
      for (let i = 0; i < 200; i++) total += hot(20_000);
      const { WebAssembly } = globalThis as unknown as {
        WebAssembly: { Module: new (code: Uint8Array) => object };
      };
      const wasm = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
      const { gzipSync, gunzipSync } = node.zlib;
      const { randomBytes } = node.crypto;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return [
        total > 0,
        wasm instanceof WebAssembly.Module,
        gunzipSync(gzipSync("text")).toString(),
        randomBytes(8).length,
        /^(a|b)+c$/.test(`${"ab".repeat(1_000)}c`),
      ];
    });
    expect(works).toEqual([true, true, "text", 8, true]);
  });

  test.each(["read", "write"] as const)(
    "of profile %s reaches nothing outside its workspace",
    async (profile) => {
      const { run } = await start({ profile });
      const results = await run(async ({ node, input }) => {
        const { fs, net, dgram } = node;
        const { root, outside, port } = input as Place;
        const { spawnSync } = node.childProcess;
        const { Worker } = node.workerThreads;
        const { setPriority } = node.os;
        const secret = `${outside}/secret.txt`;
        const program = (): void => {
          const { error } = spawnSync("/bin/true");
          if (error) throw error;
        };
        const settled = (emitter: EventEmitter, good: string): Promise<void> =>
          new Promise((resolve, reject) => emitter.once(good, resolve).once("error", reject));
        const attempts: Record<string, () => unknown> = {
          read: () => fs.readFileSync(secret),
          list: () => fs.readdirSync(outside),
          environ: () => fs.readFileSync("/proc/self/environ"),
          memory: () => fs.openSync("/proc/self/mem", "r"),
          root: () => fs.readFileSync(`/proc/self/root${secret}`),
          write: () => fs.writeFileSync(secret, "x"),
          create: () => fs.writeFileSync(`${outside}/new`, "x"),
          remove: () => fs.unlinkSync(secret),
          mkdir: () => fs.mkdirSync(`${outside}/folder`),
          moveOut: () => fs.renameSync(`${root}/inside.txt`, `${outside}/moved`),
          hardLinkIn: () => fs.linkSync(secret, `${root}/link`),
          symlink: () => fs.symlinkSync(secret, `${root}/symlink`),
          chmod: () => fs.chmodSync(secret, 0o777),
          chmodInside: () => fs.chmodSync(`${root}/inside.txt`, 0o777),
          chown: () => fs.chownSync(secret, 0, 0),
          utimes: () => fs.utimesSync(secret, 0, 0),
          watch: () => fs.watch(outside).close(),
          exec: program,
          thread: () => new Worker("", { eval: true }).terminate(),
          connect: () => settled(net.connect(port, "127.0.0.1"), "connect"),
          listen: () => settled(net.createServer().listen(0, "127.0.0.1"), "listening"),
          unixSocket: () => settled(net.connect(`${outside}/socket`), "connect"),
          datagram: () => settled(dgram.createSocket("udp4").bind(0, "127.0.0.1"), "listening"),
          signal: () => process.kill(process.pid, 0),
          priority: () => setPriority(0, 10),
          addon: () => process.dlopen({ exports: {} }, `${root}/addon.node`),
        };
        const told: Record<string, string> = {};
        for (const [name, attempt] of Object.entries(attempts)) {
          try {
            await attempt();
            told[name] = "done";
          } catch (error) {
            told[name] = (error as NodeJS.ErrnoException).code ?? String(error);
          }
        }
        return told;
      }, place());
      expect(results).toEqual({
        read: "EACCES",
        list: "EACCES",
        environ: "EACCES",
        memory: "EACCES",
        root: "EACCES",
        write: "EACCES",
        create: "EACCES",
        remove: "EACCES",
        mkdir: "EACCES",
        moveOut: expect.stringMatching(/^(EACCES|EXDEV)$/),
        hardLinkIn: expect.stringMatching(/^(EACCES|EXDEV)$/),
        symlink: "EACCES",
        chmod: "EPERM",
        chmodInside: "EPERM",
        chown: "EPERM",
        utimes: "EPERM",
        watch: "EPERM",
        exec: expect.stringMatching(/^(EPERM|EACCES)$/),
        thread: "ERR_WORKER_INIT_FAILED",
        connect: "EPERM",
        listen: "EPERM",
        unixSocket: "EPERM",
        datagram: "EPERM",
        signal: "EPERM",
        priority: expect.stringMatching(/^(EPERM|ERR_SYSTEM_ERROR)$/),
        addon: "ERR_DLOPEN_FAILED",
      });
      expect(readFileSync(join(place().outside, "secret.txt"), "utf8")).toBe("secret");
      expect(readdirSync(place().outside)).toEqual(["secret.txt"]);
    },
  );

  test("maps no library of the workspace, even by the loader it kept from before", async () => {
    const { run } = await start({ profile: "write" });
    const load = await run(
      ({ dlopen, input }) => dlopen({ exports: {} }, `${(input as Place).root}/addon.node`),
      place(),
    );
    expect(load).toBe("ERR_DLOPEN_FAILED");
  });

  test("is refused system calls that JavaScript has no name for", async () => {
    const { run } = await start({ profile: "write" });
    const results = await run(({ syscall }) =>
      (
        [
          "ptrace",
          "process_vm_readv",
          "io_uring_setup",
          "mount",
          "unshare",
          "bpf",
          "keyctl",
          "perf_event_open",
          "userfaultfd",
          "open_by_handle_at",
          "setns",
          "pidfd_getfd",
          "shmget",
          "socketpair",
        ] as const
      ).map((name) => syscall(name, BigInt(0x0002_0000))),
    );
    expect(results).toEqual(Array.from({ length: 14 }, () => -1));
  });

  test("of profile read changes nothing in its workspace", async () => {
    const { run } = await start({ profile: "read" });
    const results = await run(({ node: { fs }, input }) => {
      const { root } = input as Place;
      return [
        () => fs.writeFileSync(`${root}/inside.txt`, "x"),
        () => fs.writeFileSync(`${root}/new`, "x"),
        () => fs.mkdirSync(`${root}/folder`),
        () => fs.unlinkSync(`${root}/inside.txt`),
        () => fs.renameSync(`${root}/inside.txt`, `${root}/moved`),
        () => fs.fchmodSync(fs.openSync(`${root}/inside.txt`, "r"), 0o777),
      ].map((act) => {
        try {
          act();
          return "done";
        } catch (error) {
          return (error as NodeJS.ErrnoException).code;
        }
      });
    }, place());
    expect(results).toEqual(["EACCES", "EACCES", "EACCES", "EACCES", "EACCES", "EPERM"]);
  });

  test("of profile write creates, replaces, moves and removes in its workspace", async () => {
    const root = folder();
    const { run } = await start({ profile: "write", root });
    const names = await run(({ node: { fs }, input }) => {
      const at = (name: string): string => `${String(input)}/${name}`;
      fs.mkdirSync(at("a/b"), { recursive: true });
      const fd = fs.openSync(at("a/temp"), "wx", 0o644);
      fs.writeSync(fd, "text");
      fs.fchmodSync(fd, 0o755);
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.renameSync(at("a/temp"), at("a/b/file"));
      fs.writeFileSync(at("gone"), "");
      fs.unlinkSync(at("gone"));
      fs.truncateSync(at("a/b/file"), 2);
      return [fs.readdirSync(String(input)), fs.readFileSync(at("a/b/file"), "utf8")];
    }, root);
    expect(names).toEqual([["a"], "te"]);
  });

  test("reads the extra folders it was given, and does not write them", async () => {
    const extra = folder();
    writeFileSync(join(extra, "module.mjs"), "export default 1;");
    const { run } = await start({ profile: "write", readPaths: [extra] });
    const read = await run(({ node: { fs }, input }) => {
      return fs.readFileSync(`${String(input)}/module.mjs`, "utf8");
    }, extra);
    const write = await run(({ node: { fs }, input }) => {
      fs.writeFileSync(`${String(input)}/module.mjs`, "");
    }, extra);
    expect([read, write]).toEqual(["export default 1;", "EACCES"]);
  });
});
