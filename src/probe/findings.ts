const SHOWN_MAX_CHARS = 300;

/** What is found out about one case while it runs. */
export class Findings {
  readonly escapes: string[] = [];
  readonly late: string[] = [];
  readonly tried: string[] = [];
  readonly cameBack: string[] = [];

  /** Something got through that must not. */
  escaped(what: string): void {
    this.escapes.push(shown(what));
  }

  /** It was held, but later or louder than promised. */
  degraded(what: string): void {
    this.late.push(shown(what));
  }

  /** One attempt, and what it came to. */
  note(tried: string, cameBack: string): void {
    this.tried.push(shown(tried));
    this.cameBack.push(shown(cameBack));
  }
}

function shown(text: string): string {
  return text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS).toWellFormed()}…` : text;
}
