import { ToolCallFinishedEvent, UserTextEvent } from "../events/run-event.ts";
import type { OpenCall } from "../log/rebuild.ts";
import { toolResultBlock, type ToolResultBlock, type ToolUseBlock } from "../messages.ts";
import type { ModelResponse } from "../provider/provider.ts";
import { act, askAndAct, type Carried, finishStep, type LoopDeps, runAgentLoop } from "./agent-loop.ts";
import { decideNext, type LoopEnd } from "./stop-reason.ts";

/** Where a run broke off. */
export interface BreakPoint {
  /** A step that was started and not finished. */
  openStep: number | undefined;
  /** Of the open step, when it was whole: to be acted on. Otherwise the model is asked again. */
  response: ModelResponse | undefined;
  /** The response that the last step finished with ended the run. */
  end: LoopEnd | undefined;
  carried: Carried;
  /** The runtime has said already what it says after `response`. */
  said: boolean;
  answered: readonly ToolResultBlock[];
  open: readonly OpenCall[];
}

export interface GoOnOptions {
  /** What the user adds to the goal; a run that had come to its end goes on with it. */
  further: string | undefined;
  /** Whether an interrupted call that may have written is made again; otherwise the model is told. Must not reject. */
  mayRepeat: (use: ToolUseBlock) => Promise<boolean>;
}

/**
 * Goes on where a run broke off: what was finished stays, a call that only reads is made again, and a response that
 * was not whole is asked for again.
 * @throws like `runAgentLoop`
 */
export async function goOn(deps: LoopDeps, at: BreakPoint, options: GoOnOptions): Promise<LoopEnd> {
  const carried: Carried = { ...at.carried };
  const { openStep } = at;
  const ended = (end: LoopEnd): LoopEnd => ({ ...end, text: carried.text + end.text });
  let end = at.end ?? (await actOnOpenResponse(deps, { at, options, carried }));
  if (options.further !== undefined) {
    end = undefined;
    Object.assign(carried, { text: "", continuations: 0 });
    deps.bus.publish(new UserTextEvent({ step: deps.context.step, text: options.further }));
    deps.context.addUserText(options.further);
  }
  if (end) return ended(end);
  if (openStep !== undefined && !at.response) {
    const last = await finishStep(deps, openStep, () => askAndAct(deps, openStep, carried));
    if (last) return ended(last);
  }
  return runAgentLoop(deps, carried);
}

async function actOnOpenResponse(
  deps: LoopDeps,
  { at, options, carried }: { at: BreakPoint; options: GoOnOptions; carried: Carried },
): Promise<LoopEnd | undefined> {
  const { openStep, response } = at;
  if (openStep === undefined || !response) return undefined;
  return finishStep(deps, openStep, async () => {
    const refused = decideNext(response, carried.continuations).kind !== "tools";
    const mayRepeat = refused ? () => Promise.resolve(true) : options.mayRepeat;
    const { again, answers } = await closeInterrupted(deps, { step: openStep, open: at.open, mayRepeat });
    const before = {
      answered: [...at.answered, ...answers],
      starts: new Map(at.open.filter(({ starts }) => starts > 0).map(({ use, starts }) => [use.id, starts])),
      said: at.said,
    };
    return act(deps, { step: openStep, response, carried, toolUses: again, before });
  });
}

/** Closes in the log what was under way, and parts it into calls to be made again and answers. */
async function closeInterrupted(
  deps: LoopDeps,
  turn: { step: number; open: readonly OpenCall[]; mayRepeat: GoOnOptions["mayRepeat"] },
): Promise<{ again: ToolUseBlock[]; answers: ToolResultBlock[] }> {
  const again: ToolUseBlock[] = [];
  const answers: ToolResultBlock[] = [];
  for (const { use, state, readOnly } of turn.open) {
    if (state === "not_started") {
      again.push(use);
      continue;
    }
    const onlyReads = readOnly && deps.isReadOnly(use.name);
    const repeat = onlyReads || (await turn.mayRepeat(use));
    const closing = interrupted(use, turn.step);
    deps.bus.publish(repeat ? Object.assign(closing, { superseded: true as const }) : closing);
    if (repeat) again.push(use);
    else answers.push(toolResultBlock(use.id, { content: closing.content, isError: true }));
  }
  return { again, answers };
}

function interrupted({ id, name }: ToolUseBlock, step: number): ToolCallFinishedEvent {
  const text = `interrupted: ${name}: the run broke off during this call, and it may have been carried out or not; look at what is there before you call again`;
  return new ToolCallFinishedEvent({
    step,
    call_id: id,
    name,
    is_error: true,
    error_type: "interrupted",
    duration_ms: 0,
    bytes_shown: Buffer.byteLength(text),
    bytes_total: null,
    truncated: false,
    content: [{ type: "text", text }],
    data: {},
    isolation: "none",
    seal: "none",
  });
}
