// The floor of a read: what a pool of piscina's own takes to read a file in a worker thread.
const { readFileSync } = require("node:fs");
const { move } = require("piscina");

/** @type {(task: { path: string; moved?: boolean }) => unknown} */
module.exports = ({ path, moved }) => {
  if (!moved) return readFileSync(path, "utf8");
  const bytes = readFileSync(path);
  return move(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};
