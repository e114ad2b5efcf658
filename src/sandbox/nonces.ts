import { randomBytes } from "node:crypto";

const NONCE_BYTES = 16;
/** Random bytes are fetched for this many calls at once: asking for sixteen costs as much as for thousands. */
const CALLS_PER_FETCH = 128;

/** Names calls by 128 random bits each, as hexadecimal text. */
export class Nonces {
  #bytes = Buffer.alloc(0);

  next(): string {
    if (this.#bytes.length === 0) this.#bytes = randomBytes(NONCE_BYTES * CALLS_PER_FETCH);
    const nonce = this.#bytes.toString("hex", 0, NONCE_BYTES);
    this.#bytes = this.#bytes.subarray(NONCE_BYTES);
    return nonce;
  }
}
