import { shorten } from "./shorten.ts";

/** Text beyond this is not weighed: the summary is of the part that people read first. */
const TEXT_MAX_CHARS = 48_000;
const LINE_MAX_CHARS = 2_000;
const SENTENCE_MAX_CHARS = 400;
const SENTENCES_MAX = 400;
const SUMMARY_SENTENCES = 4;
const SUMMARY_MAX_CHARS = 900;
/** Fewer weighty words than this say little; what starts small or has no full stop is a list item or a caption. */
const WORDS_MIN = 3;
const SENTENCE = /^[^\p{Ll}].*[.!?。！？…]["”')）]*$/su;

const COMMON_WORDS = new Set(
  (
    "a an and are as at be but by can do does for from had has have how i if in into is it its more no not of on one or " +
    "our so such than that the their them then there these they this to use used uses was we were what when which who " +
    "will with you your all any also each only other same see"
  ).split(" "),
);

export interface Outline {
  /** The first heading, without its marks. */
  heading: string | undefined;
  /** The other headings, in order. */
  sections: string[];
  /** Prose, one paragraph each. */
  paragraphs: string[];
}

/** Takes a text (Markdown or plain) apart: headings and prose; code blocks, tables, images and comments are left out. */
export function outlineOf(text: string): Outline {
  const headings: string[] = [];
  const paragraphs: string[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const end = (): void => {
    if (paragraph.length > 0) paragraphs.push(paragraph.join(" "));
    paragraph = [];
  };
  const lines = text
    .slice(0, TEXT_MAX_CHARS)
    .replaceAll(/<!--[\s\S]{0,4000}?-->/g, " ")
    .split(/\r?\n/);
  for (const raw of skipFrontMatter(lines)) {
    const line = raw.slice(0, LINE_MAX_CHARS).trim();
    const mark = /^(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) {
      end();
      if (fence === undefined) fence = mark;
      else if (fence === mark) fence = undefined;
    } else if (fence === undefined) {
      const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
      if (heading !== undefined) end();
      if (heading !== undefined) headings.push(plain(heading));
      else if (/^(?:={3,}|-{3,})$/.test(line) && paragraph.length === 1) headings.push(paragraph.pop() ?? "");
      else if (line === "" || /^(?:\||[-=*_]{3,}$)/.test(line)) end();
      else addProse(line, paragraph, end);
    }
  }
  end();
  return { heading: headings[0], sections: headings.slice(1), paragraphs };
}

/** The sentences of a text that say most about it, in their own order. Deterministic; empty when there is no prose. */
export function summarise(outline: Outline): string[] {
  const sentences = outline.paragraphs.flatMap((text, paragraph) =>
    splitSentences(text).map((sentence, index) => ({ sentence, paragraph, index })),
  );
  const told = sentences.filter(
    ({ sentence }) => SENTENCE.test(sentence) && wordsOf(sentence).length >= WORDS_MIN,
  );
  const pool = (told.length > 0 ? told : sentences)
    .slice(0, SENTENCES_MAX)
    .map((item, order) => ({ ...item, order, words: wordsOf(item.sentence) }));
  const counts = new Map<string, number>();
  for (const { words } of pool)
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const headingWords = new Set([outline.heading ?? "", ...outline.sections].flatMap(wordsOf));
  const scored = pool.map((item) => {
    const weight = item.words.reduce(
      (sum, word) => sum + Math.log1p(counts.get(word) ?? 0) + (headingWords.has(word) ? 1 : 0),
      0,
    );
    const place = item.order === 0 ? 100 : (item.paragraph === 0 ? 1.5 : 1) * (item.index === 0 ? 1.3 : 1);
    return { ...item, score: (weight / (item.words.length + 4)) * place };
  });
  const best = scored
    .toSorted((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, SUMMARY_SENTENCES)
    .toSorted((a, b) => a.order - b.order);
  return bounded(best.map((item) => item.sentence));
}

function bounded(sentences: string[]): string[] {
  let chars = 0;
  return sentences.filter((sentence) => {
    chars += sentence.length;
    return chars <= SUMMARY_MAX_CHARS;
  });
}

function skipFrontMatter(lines: string[]): string[] {
  if (lines[0]?.trim() !== "---") return lines;
  const end = lines.slice(1, 200).findIndex((line) => line.trim() === "---");
  return end < 0 ? lines : lines.slice(end + 2);
}

function addProse(line: string, paragraph: string[], end: () => void): void {
  const item = /^(?:[-*+]|\d{1,4}[.)])\s+/.test(line);
  if (item) end();
  const text = plain(line.replace(/^(?:>+\s*|[-*+]\s+|\d{1,4}[.)]\s+)+/, ""));
  if (text !== "") paragraph.push(text);
  if (item) end();
}

/** Markdown's marks taken off a line; every pattern is bounded, since the text is not ours. */
function plain(line: string): string {
  return line
    .replace(/!\[[^\]]{0,200}\]\([^)]{0,400}\)/g, "")
    .replace(/\[([^\]]{0,200})\]\([^)]{0,400}\)/g, "$1")
    .replace(/<\/?[a-zA-Z][^>]{0,300}>/g, "")
    .replace(/[*_]{2,3}|`+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function splitSentences(text: string): string[] {
  const cut = text.replace(/([。！？])/gu, "$1\n").replace(/([.!?])\s+(?=[\p{Lu}\p{Lo}\p{N}"“(])/gu, "$1\n");
  return cut
    .split("\n")
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .map((sentence) => shorten(sentence, SENTENCE_MAX_CHARS));
}

/** Words of a sentence; Han text counts by pairs of characters, since it has no spaces. */
function wordsOf(sentence: string): string[] {
  const words: string[] = [];
  for (const run of sentence.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]{2,}/gu) ?? []) {
    if (!/\p{Script=Han}/u.test(run)) {
      if (!COMMON_WORDS.has(run)) words.push(run);
      continue;
    }
    const chars = Array.from(run);
    for (let index = 0; index + 1 < chars.length; index += 1)
      words.push(`${chars[index]}${chars[index + 1]}`);
  }
  return words;
}
