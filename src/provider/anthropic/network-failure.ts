import { AS_SET, type Failure, oneLine, TWICE } from "./failure.ts";

const REASONS: Readonly<Record<string, { says: string; retries: number; hint?: string }>> = {
  ECONNREFUSED: {
    says: "refused the connection",
    retries: TWICE,
    hint: "is the server running, and is ANTHROPIC_BASE_URL right?",
  },
  ENOTFOUND: {
    says: "is not a known host name",
    retries: TWICE,
    hint: "check the network and ANTHROPIC_BASE_URL",
  },
  EAI_AGAIN: { says: "could not be looked up", retries: AS_SET, hint: "check the network" },
  EHOSTUNREACH: { says: "cannot be reached", retries: TWICE, hint: "check the network" },
  ENETUNREACH: { says: "cannot be reached", retries: TWICE, hint: "check the network" },
  ETIMEDOUT: { says: "did not answer in time", retries: AS_SET },
  ECONNRESET: { says: "closed the connection", retries: AS_SET },
  EPIPE: { says: "closed the connection", retries: AS_SET },
};
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO$|HOSTNAME_MISMATCH|HPE_)/;

/** A connection that never became a response. */
export function networkFailure(error: unknown, host: string): Failure {
  const root = rootCause(error);
  const at = root.proxy ? `proxy ${root.proxy}` : host;
  const reason = REASONS[root.code];
  if (reason)
    return {
      code: "network_error",
      message: `${at} ${reason.says} (${root.code})`,
      ...without(reason),
      cause: error,
    };
  if (TLS.test(root.code)) {
    return {
      code: "network_error",
      message: `no secure connection to ${at} (${root.code}): ${oneLine(root.message)}`,
      hint: "for a certificate of your own set NODE_EXTRA_CA_CERTS; for a server without TLS use an http:// address",
      retries: 0,
      cause: error,
    };
  }
  return {
    code: "network_error",
    message: `no connection to ${at}: ${oneLine(root.message)}`,
    // What a proxy has refused, it mostly refuses again.
    retries: root.proxy ? TWICE : AS_SET,
    cause: error,
  };
}

function without({ retries, hint }: { retries: number; hint?: string }): { retries: number; hint?: string } {
  return hint === undefined ? { retries } : { retries, hint };
}

interface Root {
  code: string;
  message: string;
  proxy: string | undefined;
}

/** The innermost error that has a code: the SDK wraps it once or twice. */
function rootCause(error: unknown): Root {
  let found: Root = { code: "", message: String(error), proxy: undefined };
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, proxy } = at as { code?: unknown; proxy?: unknown };
    found = {
      code: typeof code === "string" ? code : found.code,
      message: at.message,
      proxy: typeof proxy === "string" ? proxy : found.proxy,
    };
  }
  return found;
}
