import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { Policy, PolicyDecision } from "./policy.ts";
import { parseRule, type ToolRule } from "./tool-rule.ts";

export type PermissionMode = "default" | "plan" | "dont-ask";

/** One set of rules, as settings give it. */
export interface PolicyRules {
  /** Only calls that one of these matches; undefined: no restriction (but nothing at all in mode `dont-ask`). */
  allowed?: readonly string[];
  /** Never a call that one of these matches; stands above `allowed`. */
  disallowed: readonly string[];
  mode: PermissionMode;
}

export interface RulePolicyOptions {
  /** Canonical path of the workspace; paths in rules are relative to it. */
  root: string;
  sandbox: "read-only" | "workspace-write";
  /** Every set must allow a call: the user's own, the project's, the managed one. */
  rules: readonly PolicyRules[];
  /** Names of the tools there are: a rule for a tool that does not exist is a typing error that would deny nothing. */
  known: readonly string[];
}

interface CompiledRules {
  allowed: ToolRule[] | undefined;
  disallowed: ToolRule[];
  mode: PermissionMode;
}

const YES: PolicyDecision = { allowed: true };

/** Allow and deny rules for tool calls. Nothing is ever asked: what no rule allows is denied. */
export class RulePolicy implements Policy {
  readonly #sandbox: RulePolicyOptions["sandbox"];
  readonly #rules: CompiledRules[];

  /** @throws RuiZNError settings_invalid for a rule that cannot be read or names no tool */
  constructor(options: RulePolicyOptions) {
    const compile = (rules: readonly string[]) => rules.map((rule) => knownRule(rule, options));
    this.#sandbox = options.sandbox;
    this.#rules = options.rules.map(({ allowed, disallowed, mode }) => ({
      allowed: allowed ? compile(allowed) : undefined,
      disallowed: compile(disallowed),
      mode,
    }));
  }

  decide(tool: BaseTool, input: unknown): PolicyDecision {
    if (this.#sandbox === "read-only" && !tool.annotations.readOnlyHint) {
      return no(
        `${tool.name} may change the workspace, and the sandbox is read-only (--sandbox workspace-write)`,
      );
    }
    for (const rules of this.#rules) {
      const decision = decideBy(rules, tool, input);
      if (!decision.allowed) return decision;
    }
    return YES;
  }

  /** Whether any call of the tool could be allowed: a tool for which none could is not offered to the model. */
  mayOffer(tool: BaseTool): boolean {
    if (this.#sandbox === "read-only" && !tool.annotations.readOnlyHint) return false;
    return this.#rules.every(({ allowed, disallowed, mode }) => {
      if (mode === "plan" && !tool.annotations.readOnlyHint) return false;
      if (disallowed.some((rule) => rule.coversTool(tool.name))) return false;
      if (!allowed) return mode !== "dont-ask";
      return allowed.some((rule) => rule.names(tool.name));
    });
  }
}

function knownRule(text: string, { root, known }: RulePolicyOptions): ToolRule {
  const rule = parseRule(text, root);
  if (known.some((name) => rule.names(name))) return rule;
  throw new RuiZNError("settings_invalid", `tool rule ${text} names no tool`, {
    hint: `the tools are: ${known.join(", ")}`,
  });
}

function decideBy(
  { allowed, disallowed, mode }: CompiledRules,
  tool: BaseTool,
  input: unknown,
): PolicyDecision {
  const denying = disallowed.find((rule) => rule.denies(tool, input));
  if (denying) return no(`${tool.name} is denied by the rule ${denying.text}`);
  if (mode === "plan" && !tool.annotations.readOnlyHint) {
    return no(`${tool.name} may change the workspace, and the permission mode is plan`);
  }
  if (!allowed) return mode === "dont-ask" ? no(`${tool.name} is not among the allowed tools`) : YES;
  return allowed.some((rule) => rule.allows(tool, input))
    ? YES
    : no(
        `this call of ${tool.name} is not among the allowed tools (${allowed.map(({ text }) => text).join(", ")})`,
      );
}

function no(reason: string): PolicyDecision {
  return { allowed: false, reason };
}
