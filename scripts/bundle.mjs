// Bundles the command: dist/bin/ruizn.js and the chunks that it loads from dist/bundle, a few instead of some hundred
// files. Each `await import()` of the source stays one: what a command does not need is not loaded.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build, transform } from "esbuild";
import { compiledSchemas } from "./compile-schemas.mjs";

/**
 * Piscina starts threads from the worker.js beside its own file. The bundle has no such file, and what our worker
 * takes from piscina's (see workers/move-bytes.ts) has to be piscina's own: so the installed one is named.
 */
const piscinaWorkerFile = {
  name: "piscina-worker-file",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]piscina[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const beside = "(0, node_path_1.resolve)(__dirname, 'worker.js')";
      if (source.split(beside).length !== 2)
        throw new Error("piscina finds its worker file in another way now");
      const installed =
        "(0, node_path_1.resolve)((0, node_path_1.dirname)(require.resolve('piscina')), 'worker.js')";
      return { contents: source.replace(beside, installed) };
    });
  },
};

/**
 * The probe and the review take half of the sources along: in the command's own chunks they would cut them smaller for
 * every run. Errors of theirs are of a class of their own, so they hand them over as data.
 */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /[\\/](?:probe|review)[\\/]index\.ts$/ }, ({ kind, path }) => {
      const [, name] = /[\\/](\w+)[\\/]index\.ts$/.exec(path);
      return kind === "dynamic-import" ? { path: `../${name}/${name}.js`, external: true } : undefined;
    });
  },
};

/** The SDK asks of every body whether it is one, and to ask is to load them: ours never are. */
export const NO_WEB_STREAMS = { "globalThis.ReadableStream": "undefined" };

/**
 * Node takes half a dozen steps for each ES module before it runs, most of them on libuv's threads: a tenth of the time
 * of a whole run. esbuild splits ES modules alone, so each chunk is turned into CommonJS afterwards.
 * @returns esbuild's list of what is in which chunk.
 */
export async function bundleCommand() {
  const { metafile, outputFiles } = await build({
    entryPoints: ["bin/ruizn.ts"],
    outdir: "dist",
    outbase: ".",
    chunkNames: "bundle/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: "inline",
    sourcesContent: false,
    minifySyntax: true,
    minifyWhitespace: true,
    inject: ["src/provider/anthropic/sdk-globals.ts"],
    define: NO_WEB_STREAMS,
    // Native; half a megabyte that only a schema with a pattern needs; and what only a tool in TypeScript needs.
    external: ["koffi", "re2js", "sucrase"],
    // Its CommonJS build loads its parts by names that no bundler can see.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    // The SDK's licence asks for its notices to stay.
    legalComments: "inline",
    plugins: [piscinaWorkerFile, compiledSchemas, apart],
    // Piscina is in the bundle, and its worker's file is found beside the installed one on purpose.
    logOverride: { "require-resolve-not-external": "silent" },
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  mkdirSync("dist/bin", { recursive: true });
  mkdirSync("dist/bundle", { recursive: true });
  for (const { path, text } of outputFiles) await writeCommonJs(path, text);
  // The name of the command's file says nothing of its kind, and the package's are ES modules.
  writeFileSync("dist/bin/package.json", '{ "type": "commonjs" }\n');
  return metafile;
}

/** `import()` becomes `require()` as well: what a chunk loads later is a chunk too, or a module of Node's. */
async function writeCommonJs(path, text) {
  const file = commonJsName(path);
  const { code, map } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20.19",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "moduleUrl" },
    banner: text.includes("import.meta.url")
      ? 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;'
      : "",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "inline",
    sourcemap: "external",
    sourcesContent: false,
    sourcefile: path,
    logLevel: "warning",
  });
  const named = code.replace(/(require\("\.{1,2}\/[^"]*)\.js"\)/g, '$1.cjs")');
  writeFileSync(file, `${named}//# sourceMappingURL=${basename(file)}.map\n`);
  writeFileSync(`${file}.map`, map);
}

/** Chunks say by their name what they are: the package.json above them has to stay the package's own. */
function commonJsName(path) {
  return path.includes("/bundle/") ? path.replace(/\.js$/, ".cjs") : path;
}

/** Bundles the probe or the review: one file, loaded by the one command alone. */
export async function bundleApart(name) {
  await build({
    entryPoints: [`src/${name}/index.ts`],
    outfile: `dist/${name}/${name}.cjs`,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    minifySyntax: true,
    minifyWhitespace: true,
    inject: ["src/provider/anthropic/sdk-globals.ts"],
    external: ["koffi", "re2js", "sucrase"],
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    define: { ...NO_WEB_STREAMS, "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    legalComments: "inline",
    plugins: [piscinaWorkerFile, compiledSchemas],
    logOverride: { "require-resolve-not-external": "silent" },
    logLevel: "warning",
  });
}

/**
 * Bundles the tool host: one CommonJS file with piscina in it. An ES module, or a package loaded by `import()`, would
 * start libuv's threads before the host has sealed itself.
 */
export async function bundleHost() {
  await build({
    entryPoints: ["workers/tool-host.ts"],
    outfile: "dist/workers/tool-host.cjs",
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    sourcesContent: false,
    external: ["koffi"],
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [piscinaWorkerFile],
    // Piscina is in the bundle, and its worker's file is found beside the installed one on purpose.
    logOverride: { "require-resolve-not-external": "silent" },
    logLevel: "warning",
  });
}
