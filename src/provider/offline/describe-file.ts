import { describeCode, isCodeFile } from "./describe-code.ts";
import { describeJson } from "./describe-json.ts";
import type { Language } from "./language.ts";
import type { Phrases } from "./phrases.ts";
import { outlineOf, summarise } from "./summary.ts";

/** What a describer needs: the file's text, whose file it is, and the tongue of the answer. */
export interface FileView {
  path: string;
  text: string;
  phrases: Phrases;
  language: Language;
}

const SECTIONS_MAX = 12;

/** Says what a file is about, in lines; by what its name says it is. */
export function describeFile(view: FileView): string[] {
  if (view.text.trim() === "") return [view.phrases.empty];
  if (/\.(?:json|jsonc|webmanifest)$/i.test(view.path)) {
    return describeJson(view) ?? [view.phrases.invalidJson, ...describeProse(view)];
  }
  if (isCodeFile(view.path)) return describeCode(view);
  return describeProse(view);
}

function describeProse({ text, phrases, language }: FileView): string[] {
  const outline = outlineOf(text);
  const lines: string[] = [];
  const colon = language === "zh" ? "：" : ": ";
  if (outline.heading !== undefined) lines.push(`${phrases.heading}${colon}${outline.heading}`);
  const sections = outline.sections.slice(0, SECTIONS_MAX);
  const sentences = summarise(outline);
  if (sentences.length > 0)
    lines.push(`${phrases.summary}${colon.trim()}`, ...sentences.map((sentence) => `- ${sentence}`));
  if (sections.length > 0) {
    const rest = outline.sections.length - sections.length;
    lines.push(
      `${phrases.sections}${colon}${sections.join(language === "zh" ? "、" : ", ")}${rest > 0 ? ` ${phrases.more(String(rest))}` : ""}`,
    );
  }
  return lines;
}
