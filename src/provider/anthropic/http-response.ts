import type { HttpHeaders } from "./http-headers.ts";

/** The Response class as far as the SDK uses it; see http-headers.ts for why not Node's own. */
export class HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: AsyncIterable<Uint8Array> | null;

  constructor(options: { status: number; headers: HttpHeaders; body: AsyncIterable<Uint8Array> | null }) {
    this.status = options.status;
    this.headers = options.headers;
    this.body = options.body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** The whole body. Rejects when it breaks off. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.body ?? []) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }
}
