// Compiles the schemas that are ours (the built-in tools' inputs, a worker's reply) with ajv, in strict mode, to plain
// code: a run then loads no ajv. Built after tsc, whose output it reads the schemas from.
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

const FILE = "dist/src/tools/compiled-schemas.js";
const own = (path) => import(new URL(`../dist/src/${path}`, import.meta.url).href);

/** The module as text; what it takes from ajv's runtime is still asked for by name. */
async function compiled() {
  const { readTools, writeTools } = await own("tools/built-in.js");
  const { FAILED_SCHEMA, OK_SCHEMA } = await own("sandbox/recheck/reply-schema.js");
  const { AJV_OPTIONS, schemaKey } = await own("tools/schema-check.js");
  const { checkedRegExp } = await own("tools/linear-reg-exp.js");
  const regExp = Object.assign(checkedRegExp, { code: "linearRegExp" });
  const ajv = new Ajv2020({ ...AJV_OPTIONS, code: { source: true, esm: true, regExp } });
  const schemas = [...readTools(), ...writeTools()].map(({ inputSchema }) => inputSchema);
  const names = {};
  const rows = [...schemas, OK_SCHEMA, FAILED_SCHEMA].map((schema, index) => {
    const name = `check${index}`;
    ajv.addSchema(schema, name);
    names[name] = name;
    return `${JSON.stringify(schemaKey(JSON.stringify(schema)))}: ${name}`;
  });
  const code = standalone.default(ajv, names).replaceAll("export const", "const");
  return `import { linearRegExp } from "./linear-reg-exp.js";
${code}
export const COMPILED_SCHEMAS = { ${rows.join(", ")} };`;
}

/** Puts the compiled checks in the place of the empty module, in what tsc has built. */
export async function compileSchemas() {
  await build({
    stdin: { contents: await compiled(), resolveDir: "dist/src/tools", sourcefile: "own-schemas.js" },
    outfile: FILE,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["./linear-reg-exp.js"],
    minify: true,
    logLevel: "warning",
  });
}

/** The same in a bundle that is made from the source. */
export const compiledSchemas = {
  name: "compiled-schemas",
  setup({ onResolve }) {
    onResolve({ filter: /\/compiled-schemas\.ts$/ }, () => ({
      path: new URL(`../${FILE}`, import.meta.url).pathname,
    }));
  },
};
