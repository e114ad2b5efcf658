import type { Provider } from "../provider/provider.ts";
import type { Environment } from "./options.ts";
import type { Settings } from "./settings-table.ts";

const DEFAULT_MODEL = "claude-sonnet-5-5";

/**
 * The model's provider when there is a key, a token or a server of one's own; otherwise the offline planner, and a
 * notice that says so. Secrets come from variables alone.
 */
export async function selectProvider(
  settings: Settings,
  env: Environment,
): Promise<{ provider: Provider; notice?: string }> {
  const apiKey = env["ANTHROPIC_API_KEY"]?.trim();
  const authToken = env["ANTHROPIC_AUTH_TOKEN"]?.trim();
  if (!apiKey && !authToken && settings.base_url === undefined) {
    const { OfflineProvider } = await import("../provider/offline/offline-provider.ts");
    const notice =
      "no ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL: using the offline planner (no language model)";
    return { provider: new OfflineProvider(), notice };
  }
  const { AnthropicProvider } = await import("../provider/anthropic/anthropic-provider.ts");
  const provider = new AnthropicProvider({
    model: settings.model ?? DEFAULT_MODEL,
    ...(apiKey && { apiKey }),
    ...(authToken && { authToken }),
    ...(settings.base_url !== undefined && { baseUrl: settings.base_url }),
    ...(settings.thinking !== undefined && { thinking: settings.thinking }),
    ...(settings.effort !== undefined && { effort: settings.effort }),
    ...patienceOf(settings),
    ...proxyOf(env),
  });
  return { provider };
}

function patienceOf(settings: Settings): {
  maxRetries?: number;
  firstByteTimeoutMs?: number;
  idleTimeoutMs?: number;
} {
  const { max_tries: tries, first_byte_timeout: firstByte, idle_timeout: idle } = settings;
  return {
    ...(tries !== undefined && { maxRetries: tries - 1 }),
    ...(firstByte !== undefined && { firstByteTimeoutMs: firstByte }),
    ...(idle !== undefined && { idleTimeoutMs: idle }),
  };
}

function proxyOf(env: Environment): { proxy?: string; noProxy?: string } {
  const proxy = env["HTTPS_PROXY"] || env["https_proxy"];
  const noProxy = env["NO_PROXY"] || env["no_proxy"];
  return { ...(proxy && { proxy }), ...(noProxy && { noProxy }) };
}
