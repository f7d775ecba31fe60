import { judgeCall } from "../../policy/judge-call.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamPolicyRule } from "../file/team-schema.ts";
import { policyOf } from "./policy-of-agent.ts";

const SERVER = "mcp__team__";

/** A rule that keeps an agent from the team's own tools although it does not name them. */
export interface ShutOut {
  readonly agent: AgentId;
  readonly tools: readonly string[];
  readonly rule: string;
  readonly action: "deny" | "ask";
}

/**
 * Agents talk to each other through the team's tools, and `mcp__*` matches these too. A rule that names them is
 * intended; about one that does not, the person is warned.
 */
export function shutOutTools(
  policy: readonly TeamPolicyRule[],
  agents: Iterable<AgentId>,
  tools: readonly string[],
): ShutOut[] {
  return [...agents].flatMap((agent) => {
    const rules = policyOf(policy, agent, "/");
    const byRule = new Map<string, ShutOut>();
    for (const tool of tools) {
      const verdict = judgeCall(rules, { tool: `${SERVER}${tool}`, input: {} });
      if (!verdict || verdict.action === "allow") continue;
      const { rule, action } = verdict;
      if (rules.find(({ name }) => name === rule)?.tool.startsWith(SERVER) === true) continue;
      byRule.set(rule, { agent, rule, action, tools: [...(byRule.get(rule)?.tools ?? []), tool] });
    }
    return [...byRule.values()];
  });
}

export const shutOutWarning = ({ agent, tools, rule, action }: ShutOut): string =>
  action === "deny"
    ? `${agent} cannot use the team's own tools (${tools.join(", ")}): the policy's rule ${rule} denies them.`
    : `${agent} needs a person's permission for each use of the team's own tools (${tools.join(", ")}): rule ${rule} asks.`;

export const SHUT_OUT_HINT =
  'If that is not meant, put { tool: "mcp__team__*", action: allow } before that rule.';
