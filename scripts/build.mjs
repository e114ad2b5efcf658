// Builds dist/: tsc for the library and its types, esbuild for the SDK, the command and the worker (one file: after the seal
// it can load nothing).
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleApart, bundleCommand, bundleHost, NO_WEB_STREAMS } from "./bundle.mjs";
import { compileSchemas } from "./compile-schemas.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], {
  stdio: "inherit",
});

await compileSchemas();

// The SDK as one tree-shaken file: a tenth of the time to load, a third of the memory, and that at every run's start.
await build({
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  entryPoints: ["dist/src/provider/anthropic/sdk.js"],
  outfile: "dist/src/provider/anthropic/sdk.js",
  allowOverwrite: true,
  inject: ["dist/src/provider/anthropic/sdk-globals.js"],
  define: NO_WEB_STREAMS,
  minifySyntax: true,
  minifyWhitespace: true,
  // The SDK's licence asks for its notices to stay.
  legalComments: "inline",
  banner: {
    js: "/*! Contains @anthropic-ai/sdk (Apache-2.0, Copyright Anthropic) and @opentelemetry/api (Apache-2.0). */",
  },
  logLevel: "warning",
});
rmSync("dist/src/provider/anthropic/sdk.js.map");

const shared = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  external: ["koffi"],
  logLevel: "warning",
};

if (existsSync("workers/tool-worker.ts")) {
  // CommonJS: an ESM entry on Node 20 starts libuv's thread pool before the worker can seal itself.
  await build({
    ...shared,
    entryPoints: ["workers/tool-worker.ts"],
    outfile: "dist/workers/tool-worker.cjs",
    format: "cjs",
    // Read and scanned at every worker's start.
    minifySyntax: true,
    minifyWhitespace: true,
    // What the workers share with src is loaded from the bundle alone.
    define: { "import.meta.url": "undefined" },
  });
}
await bundleHost();
await bundleCommand();
await bundleApart("probe");
await bundleApart("review");
chmodSync("dist/bin/ruizn.js", 0o755);
