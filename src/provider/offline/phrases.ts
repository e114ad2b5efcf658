import type { ToolErrorType } from "../../errors.ts";
import { EN } from "./phrases-en.ts";
import { ZH } from "./phrases-zh.ts";
import type { Language } from "./language.ts";

/** Every sentence of the planner's own, in both languages. */
export interface Phrases {
  honest: string;
  will: {
    read(path: string): string;
    list(path: string): string;
    find(pattern: string, path: string): string;
    search(pattern: string, path: string): string;
  };
  willList(path: string): string;
  able: string;
  notUnderstood: string;
  beyond(verbs: string): string;
  noNetwork(urls: string): string;
  notOffered(tools: string): string;
  size(bytes: string, lines: string): string;
  partial: string;
  empty: string;
  heading: string;
  sections: string;
  summary: string;
  keys: string;
  items(count: string): string;
  invalidJson: string;
  comment: string;
  exports: string;
  declares: string;
  image(types: string): string;
  entries(folders: string, files: string): string;
  emptyFolder: string;
  found(count: string): string;
  foundNone: string;
  hits(count: string, files: string): string;
  hitsNone: string;
  more(count: string): string;
  noResult: string;
  nearNames(names: string): string;
  advice: Record<ToolErrorType, string>;
}

export function phrasesFor(language: Language): Phrases {
  return language === "zh" ? ZH : EN;
}
