// Adds up what vitest wrote on each Node line and closes with one line that a machine can read.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../.cache/tests/", import.meta.url));
const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of readdirSync(folder).toSorted()) {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(folder + name, "utf8"));
  console.log(`${name}: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  total.passed += numPassedTests;
  total.failed += numFailedTests;
  total.skipped += numPendingTests;
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
