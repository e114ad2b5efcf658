// Preloaded into a run: notes every script that V8 is given until the first HTTP request starts, and which of Node's own
// modules are loaded then, and writes both to the file that SCRIPTS_LOADED names.
const { subscribe } = require("node:diagnostics_channel");
const { writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");

const file = process.env.SCRIPTS_LOADED;
const scripts = [];
const session = new Session();
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => scripts.push({ url: params.url, bytes: params.length }));
session.post("Debugger.enable");

let written = false;
subscribe("http.client.request.start", () => {
  if (written) return;
  written = true;
  writeFileSync(file, JSON.stringify({ scripts, builtins: process.moduleLoadList }));
});
