import type { TerminalReason } from "../events/run-event.ts";
import { isText, isToolUse } from "../messages.ts";
import type { ModelResponse } from "../provider/provider.ts";

/** How the loop came to its end. */
export interface LoopEnd {
  reason: TerminalReason;
  stopReason: string | null;
  /** The model's last text: the answer, or as much of it as there is. */
  text: string;
  /** What went wrong, for people, when something did. */
  detail?: string;
}

/** What to do after a response. `refuse` says why tool uses that arrived whole are answered without being run. */
export type NextAction =
  | { kind: "tools" }
  | { kind: "continue"; say?: string; refuse: string; answerGoesOn: boolean; refit?: true }
  | { kind: "end"; end: LoopEnd; refuse: string };

/** How often in a row a text that the output token limit cut off is asked to go on. */
const MAX_CONTINUATIONS = 3;

const SAY_TOOL_CUT =
  "Your last message was cut off by the output token limit in the middle of a tool call. That call was not run. Make it again, shorter: split large content over several calls.";
const SAY_TEXT_CUT =
  "Your last message was cut off by the output token limit. Go on exactly where it stops, without repeating anything.";
const SAY_TOOL_CUT_BY_WINDOW =
  "Your context was full in the middle of your last message, and its tool calls were not run. Older tool results have been cleared. Make the calls again.";
const SAY_TEXT_CUT_BY_WINDOW =
  "Your context was full in the middle of your last message. Older tool results have been cleared. Go on exactly where it stops, without repeating anything.";

/**
 * Maps each stop reason of the Messages API, and an unknown one, to what happens next. `continuations`: how many
 * responses before this one were cut off.
 */
export function decideNext(response: ModelResponse, continuations: number): NextAction {
  const { stopReason } = response;
  const state = { toolUses: response.content.filter(isToolUse).length, continuations };
  const refuse = `not run: the response ended with stop reason ${stopReason}`;
  const end = (reason: TerminalReason, detail?: string): NextAction => ({
    kind: "end",
    end: { reason, stopReason, text: responseText(response), ...(detail === undefined ? {} : { detail }) },
    refuse,
  });
  switch (stopReason) {
    case "tool_use":
      return state.toolUses > 0
        ? { kind: "tools" }
        : end("malformed_tool_use", "stop reason tool_use, but no tool use in the response");
    case "end_turn":
    case "stop_sequence":
      // Compatible servers say so beside tool uses; what arrived whole may be run.
      return state.toolUses > 0 ? { kind: "tools" } : end("completed");
    case "pause_turn":
      return { kind: "continue", refuse, answerGoesOn: true };
    case "max_tokens":
      return afterMaxTokens(response, state, { refuse, end });
    case "model_context_window_exceeded":
      return state.continuations > 0
        ? end("context_exhausted", "the model's context window is full")
        : afterFullWindow(response, state, refuse);
    case "refusal":
      return end("refusal", response.stopDetails ?? "the model refused");
    default:
      return end("api_error", `the response ended with an unknown stop reason: ${stopReason}`);
  }
}

/** Once, with less before it. */
function afterFullWindow(response: ModelResponse, state: { toolUses: number }, refuse: string): NextAction {
  const toolCut = response.cutToolUses > 0 || state.toolUses > 0;
  const say = toolCut ? SAY_TOOL_CUT_BY_WINDOW : SAY_TEXT_CUT_BY_WINDOW;
  return { kind: "continue", say, refuse, answerGoesOn: !toolCut, refit: true };
}

function afterMaxTokens(
  response: ModelResponse,
  state: { toolUses: number; continuations: number },
  { refuse, end }: { refuse: string; end: (reason: TerminalReason, detail: string) => NextAction },
): NextAction {
  if (state.continuations >= MAX_CONTINUATIONS) {
    return end("context_exhausted", "the answer does not fit the output token limit; raise --max-tokens");
  }
  if (response.cutToolUses > 0 || state.toolUses > 0) {
    return { kind: "continue", say: SAY_TOOL_CUT, refuse, answerGoesOn: false };
  }
  return { kind: "continue", say: SAY_TEXT_CUT, refuse, answerGoesOn: true };
}

/** The text of a response, its text blocks joined. */
export function responseText(response: ModelResponse): string {
  return response.content
    .filter(isText)
    .map((block) => block.text)
    .join("");
}
