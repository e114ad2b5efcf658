import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/temp-folder.ts",
    // Forks: each test file gets a process of its own, so worker threads under test are children of a real main thread.
    pool: "forks",
    // Much of what is tested waits (deadlines, children, streams), so that every core takes a file.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A colour or CI setting of the machine must not change what a test sees.
    env: { NO_COLOR: "", FORCE_COLOR: "", CI: "" },
    reporters: ["default", "json"],
    outputFile: { json: `.cache/tests/node-${process.versions.node}.json` },
  },
});
