/** Of a model that the table does not know. Too large a guess is mended when the API refuses a request. */
const DEFAULT_WINDOW_TOKENS = 200_000;
const MILLION = 1_000_000;

/** Tokens that input and output of a request may have together, by the beginning of the model's name. */
const WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ["claude-fable-5", MILLION],
  ["claude-mythos-5", MILLION],
  ["claude-opus-5", MILLION],
  ["claude-opus-4-8", MILLION],
  ["claude-opus-4-7", MILLION],
  ["claude-opus-4-6", MILLION],
  ["claude-sonnet-5", MILLION],
  ["claude-sonnet-4-6", MILLION],
  ["claude-haiku-5", MILLION],
];

/** What the provider says of itself, otherwise what its model is known for. */
export function contextWindowOf({ model, contextWindow }: { model: string; contextWindow?: number }): number {
  if (contextWindow !== undefined) return contextWindow;
  const known = WINDOWS.find(([prefix]) => model === prefix || model.startsWith(`${prefix}-`));
  return known?.[1] ?? DEFAULT_WINDOW_TOKENS;
}
