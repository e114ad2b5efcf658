import type { IncomingHttpHeaders } from "node:http";
import type { Usage } from "../messages.ts";

/** A request as the double has seen it. */
export interface DoubleRequest {
  /** From 0. */
  index: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes of the body as they came. */
  raw: Buffer;
  /** The body as JSON; an empty object when it is none. */
  body: RequestBody;
  /** `performance.now()` when the whole body was there. */
  at: number;
  /** Set when the double refused the request by itself, as the API would have. */
  refused?: { status: number; type: string; message: string };
  /** Input tokens as the double counts them. */
  inputUsage?: Usage;
}

export interface RequestBody {
  model?: string;
  max_tokens?: number;
  system?: string | RequestBlock[];
  tools?: RequestBlock[];
  messages?: RequestMessage[];
  [key: string]: unknown;
}

export interface RequestMessage {
  role: string;
  content: string | RequestBlock[];
}

export interface RequestBlock {
  type?: string;
  [key: string]: unknown;
}
