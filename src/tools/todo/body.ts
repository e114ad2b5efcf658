import { showPlural } from "../text/show.ts";
import { type ToolBody, ToolFailure } from "../tool-body.ts";
import type { TodoInput } from "./spec.ts";

const MARKS = { pending: "[ ]", in_progress: "[>]", done: "[x]" } as const;

export const todoBody: ToolBody<TodoInput> = ({ items }) => {
  const count = (status: keyof typeof MARKS): number => items.filter((item) => item.status === status).length;
  const counts = { pending: count("pending"), in_progress: count("in_progress"), done: count("done") };
  if (counts.in_progress > 1) {
    throw new ToolFailure(
      "invalid_input",
      `${counts.in_progress} items are in_progress; work on one at a time`,
    );
  }
  const lines = items.map(
    ({ content, status }) => `${MARKS[status]} ${content.replaceAll(/\s+/g, " ").trim()}`,
  );
  const summary = `${showPlural(items.length, "item")}: ${counts.done} done, ${counts.in_progress} in progress, ${counts.pending} pending.`;
  return { content: [{ type: "text", text: [...lines, summary].join("\n") }], data: counts };
};
