/**
 * What must not reach a terminal as it is: controls (tab and line feed aside), C1 controls, what turns or hides text
 * (bidi marks, line separators, invisible tags). A carriage return is here too: it overwrites the line.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\r(?!\n)/gu;

function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/** Text that came from a model, a file or a tool, made safe to show: unsafe characters become visible (`\x1b`). */
export function terminalText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, visible);
}

/** The same on one line: line breaks and tabs are made visible as well. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/**
 * The same for text that arrives in pieces. Holds back what only the next piece can decide: a carriage return, which
 * a line feed may follow, and the first half of a surrogate pair.
 */
export class TerminalTextStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const end = /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#held = text.slice(end);
    return terminalText(text.slice(0, end));
  }

  /** What was held back, when nothing follows. */
  flush(): string {
    const text = terminalText(this.#held);
    this.#held = "";
    return text;
  }
}
