import type { RetryNotice, StreamSink } from "../../src/provider/provider.ts";

/** A sink that writes down what it is told, in order. */
export class RecordingSink implements StreamSink {
  readonly log: string[] = [];
  readonly retries: RetryNotice[] = [];
  /** What is shown and not withdrawn. */
  text = "";
  thinking = "";

  onText(text: string): void {
    this.text += text;
    if (this.log.at(-1) !== "text") this.log.push("text");
  }

  onThinking(text: string): void {
    this.thinking += text;
    if (this.log.at(-1) !== "thinking") this.log.push("thinking");
  }

  onWithdrawn(_reason: string): void {
    this.text = "";
    this.thinking = "";
    this.log.push("withdrawn");
  }

  onRetry(notice: RetryNotice): void {
    this.retries.push(notice);
    this.log.push(`retry ${notice.code}`);
  }
}
