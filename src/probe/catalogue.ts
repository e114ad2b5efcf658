import type { ProbeCase } from "./case.ts";
import { CHILD_PROCESS_CASES } from "./families/child-process.ts";
import { CONFIG_TRUST_CASES } from "./families/config-trust.ts";
import { CPU_CASES } from "./families/cpu.ts";
import { LINK_CASES } from "./families/links.ts";
import { LOG_CASES } from "./families/log.ts";
import { MCP_CASES } from "./families/mcp.ts";
import { MEMORY_CASES } from "./families/memory.ts";
import { JSON_SCHEMA_CASES, TOOL_NAME_CASES } from "./families/model-calls.ts";
import { NETWORK_CASES } from "./families/network.ts";
import { PATH_CASES } from "./families/paths.ts";
import { PATH_TOOL_CASES } from "./families/path-tools.ts";
import { PROMPT_INJECTION_CASES } from "./families/prompt-injection.ts";
import { PROVIDER_STREAM_CASES } from "./families/provider-stream.ts";
import { REGEX_GLOB_CASES } from "./families/regex-glob.ts";
import { RESULT_FORGING_CASES } from "./families/result-forging.ts";
import { SECRETS_CASES } from "./families/secrets.ts";
import { SIGNAL_CASES } from "./families/signal.ts";
import { SIZE_CONTENT_CASES } from "./families/size-content.ts";
import { STATE_LEAKAGE_CASES } from "./families/state-leakage.ts";
import { TERMINAL_OUTPUT_CASES } from "./families/terminal-output.ts";
import { TOCTOU_CASES } from "./families/toctou.ts";
import { WORKER_LIFECYCLE_CASES } from "./families/worker-lifecycle.ts";

/** Every attack there is, in order of family. */
export const CATALOGUE: readonly ProbeCase[] = [
  ...PATH_CASES,
  ...PATH_TOOL_CASES,
  ...LINK_CASES,
  ...TOCTOU_CASES,
  ...SIZE_CONTENT_CASES,
  ...REGEX_GLOB_CASES,
  ...CPU_CASES,
  ...MEMORY_CASES,
  ...WORKER_LIFECYCLE_CASES,
  ...RESULT_FORGING_CASES,
  ...STATE_LEAKAGE_CASES,
  ...NETWORK_CASES,
  ...CHILD_PROCESS_CASES,
  ...SECRETS_CASES,
  ...PROVIDER_STREAM_CASES,
  ...TOOL_NAME_CASES,
  ...JSON_SCHEMA_CASES,
  ...PROMPT_INJECTION_CASES,
  ...TERMINAL_OUTPUT_CASES,
  ...LOG_CASES,
  ...MCP_CASES,
  ...SIGNAL_CASES,
  ...CONFIG_TRUST_CASES,
];
