/**
 * An import reads every export of a module: of node:http, on Node 22 and later, that of WebSocket too, which loads Node's
 * own fetch (30 ms, 15 MB) for nothing.
 */
export const http = process.getBuiltinModule("node:http");
