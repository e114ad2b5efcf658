import { type CaseRow, family, type ProbeCase } from "../case.ts";
import type { Stage } from "../stage.ts";

/** Code that leaves something behind, and code that looks for it in the next call of the same tool. */
function left(id: string, title: string, leave: string, look: string): CaseRow {
  return {
    id,
    title,
    heldBy: "a thread of its own for each call",
    run: async (stage) => {
      const { root } = stage.tree;
      await stage.attack(leave, { timeoutMs: 1_500, args: { root } });
      const result = await stage.attack(`${look}`, { timeoutMs: 8_000, args: { root } });
      stage.expects(result, ["ok", "runtime_error"]);
      stage.holds(!JSON.stringify(result.content).includes("ESCAPED"), "the next call found what was left");
    },
  };
}

/** Code that spoils the thread for the guard, which must still say no in the next call and in this one. */
function spoiled(id: string, title: string, spoil: string): CaseRow {
  return {
    id,
    title,
    claim: "confidentiality",
    layers: ["main-guard", "worker-guard", "seal", "host-permission"],
    run: async (stage) => {
      await stage.attack(`${spoil}; return context.workspace.readText('../outside/secret.txt');`, {
        timeoutMs: 1_500,
      });
      stage.expects(await outside(stage), ["permission_error"]);
      stage.expects(await stage.call("read_file", { path: "../outside/secret.txt" }), ["permission_error"]);
    },
  };
}

const outside = (stage: Stage) =>
  stage.attack("return context.workspace.readText('../outside/secret.txt');", { timeoutMs: 8_000 });

export const STATE_LEAKAGE_CASES: readonly ProbeCase[] = family(
  "state-leakage",
  { claim: "confidentiality", layers: [] },
  [
    left(
      "ST-001",
      "pollutes the prototype of all objects",
      "Object.prototype.polluted = 'yes'; return 'x';",
      "return ({}).polluted ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-002",
      "leaves a secret in a global",
      "globalThis.leak = 'secret'; return 'x';",
      "return globalThis.leak ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003",
      "leaves a secret in a module",
      "require('fs').leak = 1; return 'x';",
      "return require('fs').leak ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003b",
      "leaves a secret in the environment",
      "process.env.LEAK = 'secret'; return 'x';",
      "return process.env.LEAK ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003c",
      "leaves a secret as environment data of threads",
      "require('worker_threads').setEnvironmentData('leak', 1); return 'x';",
      "return require('worker_threads').getEnvironmentData('leak') ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003d",
      "leaves a secret in the process's title",
      "process.title = 'leaked-secret'; return 'x';",
      "return process.title.includes('leaked') ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003e",
      "leaves a file of its own open",
      "require('fs').openSync(args.root + '/ok.txt', 'r'); return 'x';",
      "const fs = require('fs'); const { ino } = fs.statSync(args.root + '/ok.txt'); for (let fd = 0; fd < 128; fd++) { try { if (fs.fstatSync(fd).ino === ino) return 'ESCAPED ' + fd; } catch {} } return 'clean';",
    ),
    left(
      "ST-003f",
      "goes to another working directory",
      "try { process.chdir('/'); } catch {} return 'x';",
      "return process.cwd() === '/' && args.root !== '/' ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-003g",
      "changes V8's flags",
      "require('v8').setFlagsFromString('--stack-size=100'); return 'x';",
      "const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(3000) === 3000 ? 'clean' : 'ESCAPED';",
    ),
    left(
      "ST-003h",
      "changes the process's umask",
      "try { process.umask(0o777); } catch {} return 'x';",
      "try { return process.umask() === 0o777 ? 'ESCAPED' : 'clean'; } catch { return 'clean'; }",
    ),
    spoiled(
      "ST-004",
      "patches what a guard is made of",
      "String.prototype.startsWith = () => true; Array.prototype.some = () => true; String.prototype.includes = () => false; RegExp.prototype.test = () => false; Array.prototype.includes = () => false",
    ),
    spoiled(
      "ST-004b",
      "patches path",
      "const p = require('path'); p.resolve = p.join = p.normalize = (...a) => a.at(-1); p.relative = () => 'ok.txt'",
    ),
    spoiled(
      "ST-004c",
      "patches fs",
      "const fs = require('fs'); fs.realpathSync = (p) => p; fs.lstatSync = () => ({ isSymbolicLink: () => false }); fs.readlinkSync = () => args?.root",
    ),
    spoiled(
      "ST-005",
      "patches what is loaded already",
      "for (const k of Object.keys(require.cache)) for (const n of Object.keys(require.cache[k].exports ?? {})) { try { require.cache[k].exports[n] = () => true; } catch {} }",
    ),
    left(
      "ST-006",
      "leaves a thread that listens",
      "new (require('worker_threads').Worker)('new BroadcastChannel(\"x\").onmessage = () => {}; setInterval(() => {}, 9)', { eval: true }).on('error', () => {}); return 'x';",
      "return 'clean';",
    ),
    {
      id: "ST-007",
      title: "calls to other calls by a broadcast channel",
      run: async (stage) => {
        const listen = stage.attack(
          "return await new Promise((go) => { const c = new BroadcastChannel('x'); c.onmessage = ({ data }) => go('ESCAPED ' + data); setTimeout(() => { c.close(); go('heard nothing'); }, 700); });",
          { timeoutMs: 8_000 },
        );
        const call = stage.attack(
          "const c = new BroadcastChannel('x'); for (let i = 0; i < 20; i++) { c.postMessage('secret'); await new Promise((go) => setTimeout(go, 25)); } c.close(); return 'called';",
          { timeoutMs: 8_000 },
        );
        const [heard] = await Promise.all([listen, call]);
        stage.holds(!JSON.stringify(heard.content).includes("ESCAPED"), "another call heard it");
      },
    },
    left(
      "ST-008",
      "leaves listeners and hooks",
      "process.on('uncaughtException', () => {}); Error.prepareStackTrace = () => 'leak'; require('diagnostics_channel').subscribe('worker_threads', () => {}); return 'x';",
      "return process.listenerCount('uncaughtException') > 1 || String(Error.prepareStackTrace).includes('leak') ? 'ESCAPED' : 'clean';",
    ),
    left(
      "ST-009",
      "leaves a hook on what is imported",
      "try { require('module').registerHooks?.({ load: () => ({ format: 'json', source: '\"leak\"', shortCircuit: true }) }); } catch {} return 'x';",
      "return JSON.stringify(await load('data:application/json,1').catch(() => 1)).includes('leak') ? 'ESCAPED' : 'clean';",
    ),
  ],
);
