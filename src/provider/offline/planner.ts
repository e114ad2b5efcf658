import type { Message, TextBlock, ToolUseBlock } from "../../messages.ts";
import type { ToolDescription } from "../provider.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { describeCall, type Voice } from "./describe-call.ts";
import { followUps } from "./follow-up.ts";
import { type Intent, type ParsedGoal, parseGoal } from "./goal-intents.ts";
import { languageOf } from "./language.ts";
import { type Phrases, phrasesFor } from "./phrases.ts";
import { planCalls } from "./tool-planner.ts";

/** One turn of the planner: what it says, and the calls it makes. */
export interface Turn {
  text: TextBlock;
  uses: ToolUseBlock[];
  stopReason: "tool_use" | "end_turn" | "refusal";
  /** Why it refuses, in one line. */
  refusal?: string;
}

/** Plans the next turn from the conversation alone: the same messages and tools always give the same turn. */
export function planTurn(messages: readonly Message[], tools: readonly ToolDescription[]): Turn {
  const conversation = readConversation(messages);
  const language = languageOf(conversation.goal);
  const voice: Voice = { phrases: phrasesFor(language), language };
  const goal = parseGoal(conversation.goal);
  if (conversation.rounds.length === 0) return firstTurn(goal, tools, { voice, conversation });
  const more = planCalls(followUps(conversation), tools, takenIds(conversation));
  if (more.uses.length === 0) return answerTurn(goal, tools, { voice, conversation });
  const paths = more.uses.map((use) => (use.input as { path: string }).path);
  return toolTurn(paths.map((path) => voice.phrases.willList(path)).join("\n"), more.uses);
}

interface State {
  voice: Voice;
  conversation: Conversation;
}

function firstTurn(
  goal: ParsedGoal,
  tools: readonly ToolDescription[],
  { voice, conversation }: State,
): Turn {
  const { phrases } = voice;
  if (goal.beyond.length > 0) return refusalTurn(phrases.beyond(goal.beyond.join(", ")), phrases);
  if (goal.intents.length === 0) {
    const why = goal.urls.length > 0 ? phrases.noNetwork(goal.urls.join(", ")) : phrases.notUnderstood;
    return refusalTurn(why, phrases);
  }
  const plan = planCalls(goal.intents, tools, takenIds(conversation));
  if (plan.uses.length === 0) return refusalTurn(phrases.notOffered(plan.missing.join(", ")), phrases);
  return toolTurn(plan.intents.map((intent) => announce(intent, phrases)).join("\n"), plan.uses);
}

/** One part for each call of the first round; later rounds only serve it. */
function answerTurn(
  goal: ParsedGoal,
  tools: readonly ToolDescription[],
  { voice, conversation }: State,
): Turn {
  const [first = [], ...later] = conversation.rounds;
  const parts = first.map((call) => describeCall(call, voice, later.flat()).join("\n"));
  const { missing } = planCalls(goal.intents, tools, new Set());
  if (missing.length > 0) parts.push(voice.phrases.notOffered(missing.join(", ")));
  if (goal.urls.length > 0) parts.push(voice.phrases.noNetwork(goal.urls.join(", ")));
  const text = [voice.phrases.honest, ...parts].join("\n\n");
  return { text: { type: "text", text }, uses: [], stopReason: "end_turn" };
}

function toolTurn(text: string, uses: ToolUseBlock[]): Turn {
  return { text: { type: "text", text }, uses, stopReason: "tool_use" };
}

function refusalTurn(why: string, phrases: Phrases): Turn {
  const text = `${phrases.honest}\n\n${why}\n\n${phrases.able}`;
  return { text: { type: "text", text }, uses: [], stopReason: "refusal", refusal: why };
}

function announce(intent: Intent, phrases: Phrases): string {
  switch (intent.kind) {
    case "read":
      return phrases.will.read(intent.path);
    case "list":
      return phrases.will.list(intent.path);
    case "find":
      return phrases.will.find(intent.pattern, intent.path);
    case "search":
      return phrases.will.search(intent.pattern, intent.path);
  }
}

function takenIds(conversation: Conversation): Set<string> {
  return new Set(conversation.rounds.flat().map(({ use }) => use.id));
}
