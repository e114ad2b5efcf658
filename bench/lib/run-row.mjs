// Runs one row in a process of its own: `node run-row.mjs NAME [quick]`; the result goes to the parent.
const [name, quick] = process.argv.slice(2);
const { measure } = await import(new URL(`../rows/${name}.mjs`, import.meta.url).href);
const result = await measure({ quick: quick === "quick" });
process.send(result, () => process.exit(0));
