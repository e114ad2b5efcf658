import { terminalLine, terminalText } from "../../events/terminal-text.ts";

/** Foreign text as a block of code: whatever it holds, its fence is longer. */
export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const shown = terminalText(text);
  return `${fence}text\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** Foreign text as code within a line. Never empty, since an empty span is no span. */
export function codeSpan(text: string): string {
  const line = terminalLine(text).trim() || "(empty)";
  const fence = "`".repeat(longestRun(line) + 1);
  return `${fence} ${line} ${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
