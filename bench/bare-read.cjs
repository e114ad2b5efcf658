// The floor: what a pool of piscina's own defaults takes to read a file in a worker thread.
const { readFileSync } = require("node:fs");

module.exports = (path) => readFileSync(path, "utf8");
