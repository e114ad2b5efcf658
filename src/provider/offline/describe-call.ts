import { type ImageBlock, isText, type ToolResultBlock } from "../../messages.ts";
import type { AnsweredCall } from "./conversation.ts";
import { describeFile } from "./describe-file.ts";
import { describeEntries, describeFound, describeHits, entryNames } from "./describe-listing.ts";
import { folderOf, inputText, nameOf } from "./follow-up.ts";
import { nearNames } from "./near-names.ts";
import { byteSize, counted, type Language } from "./language.ts";
import type { Phrases } from "./phrases.ts";
import { shorten } from "./shorten.ts";
import { errorTypeOf, textOf } from "./tool-error.ts";

/** In which words the planner answers. */
export interface Voice {
  phrases: Phrases;
  language: Language;
}

const NOTE_MAX_CHARS = 400;
const CUT_MARK = "\n[truncated]";
const EMPTY_FILE = "(empty file)";

/** What a call brought back, in lines. `listings` are the folders that were looked into after something was not found. */
export function describeCall(call: AnsweredCall, voice: Voice, listings: readonly AnsweredCall[]): string[] {
  const { use, result } = call;
  if (!result) return [`${subject(call)}: ${voice.phrases.noResult}`];
  if (result.is_error === true) return describeError(call, result, { voice, listings });
  if (use.name === "read_file") return describeRead(call, result, voice);
  const view = { text: firstText(result), pattern: inputText(use, "pattern"), ...voice };
  const lines =
    use.name === "list_dir"
      ? describeEntries(view)
      : use.name === "glob"
        ? describeFound(view)
        : describeHits(view);
  return [`${subject(call)}: ${lines[0] ?? ""}`, ...lines.slice(1), ...notesOf(result)];
}

function describeRead(call: AnsweredCall, result: ToolResultBlock, voice: Voice): string[] {
  const { phrases, language } = voice;
  const images = result.content.filter((block): block is ImageBlock => block.type === "image");
  if (images.length > 0) {
    const types = images.map((image) => image.source.media_type).join(", ");
    return [`${subject(call)}: ${phrases.image(types)}`, ...notesOf(result)];
  }
  const shown = firstText(result);
  const text =
    shown === EMPTY_FILE ? "" : shown.endsWith(CUT_MARK) ? shown.slice(0, -CUT_MARK.length) : shown;
  const lines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  const size = phrases.size(byteSize(Buffer.byteLength(text), language), counted(lines, "line", language));
  const body = describeFile({ path: inputText(call.use, "path"), text, phrases, language });
  return [`${subject(call)} (${size})`, ...body, ...notesOf(result)];
}

function describeError(
  call: AnsweredCall,
  result: ToolResultBlock,
  about: { voice: Voice; listings: readonly AnsweredCall[] },
): string[] {
  const { phrases, language } = about.voice;
  const type = errorTypeOf(result);
  const said = oneLine(textOf(result));
  const message = said.startsWith(type) ? said.slice(type.length).replace(/^[\s:\])-]+/, "") : said;
  const lines = [`${subject(call)}: ${type}${message === "" ? "" : ` (${message})`}`, phrases.advice[type]];
  const listing = about.listings.find((other) => isListingFor(call, other));
  if (!listing?.result) return lines;
  const entries = firstText(listing.result);
  if (type !== "not_found")
    return [...lines, ...describeEntries({ text: entries, pattern: "", ...about.voice })];
  const near = nearNames(nameOf(inputText(call.use, "path")), entryNames(entries));
  return near.length > 0 ? [...lines, phrases.nearNames(near.join(language === "zh" ? "、" : ", "))] : lines;
}

/** A listing of the folder that should have held it, or of the path itself when that is a folder. */
function isListingFor(call: AnsweredCall, listing: AnsweredCall): boolean {
  if (!listing.result || listing.result.is_error === true) return false;
  const path = inputText(call.use, "path");
  const listed = inputText(listing.use, "path");
  return listed === path || listed === folderOf(path);
}

function subject({ use }: AnsweredCall): string {
  const path = inputText(use, "path");
  const pattern = inputText(use, "pattern");
  if (pattern === "") return path === "" ? use.name : path;
  return path === "" ? `${use.name} ${pattern}` : `${use.name} ${pattern} (${path})`;
}

function firstText(result: ToolResultBlock): string {
  return result.content.find(isText)?.text ?? "";
}

/** What a tool says beside its result: how much there is, and how to go on. */
function notesOf(result: ToolResultBlock): string[] {
  const texts = result.content.filter(isText).slice(result.content[0]?.type === "image" ? 0 : 1);
  return texts.map((block) => `[${oneLine(block.text)}]`);
}

function oneLine(text: string): string {
  return shorten(text.replace(/\s+/g, " ").trim(), NOTE_MAX_CHARS);
}
