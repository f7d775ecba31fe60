import { createHash } from "node:crypto";
import { nameOfRule } from "../../policy/judge-call.ts";
import { errorOf } from "../../wire/errors.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamPolicyRule } from "../file/team-schema.ts";

/** At the beginning of `match`: the directory that the agent works in. */
const WORKDIR = /^\$WORKDIR(?=\/|$)/;

/** The rules of the team file for one agent. Each keeps its number in the file. */
export const policyOf = (
  policy: readonly TeamPolicyRule[],
  agent: AgentId,
  workdir: string,
): PolicyRule[] =>
  policy.flatMap(({ agents, ...rule }, index) => {
    if (agents?.includes(agent) === false) return [];
    const match = rule.match?.replace(WORKDIR, () => asPattern(workdir));
    return [{ ...rule, ...(match !== undefined && { match }), name: nameOfRule(rule, index) }];
  });

/** A pattern has no way to write a plain `*`, so such a directory would allow its neighbours too. */
function asPattern(workdir: string): string {
  if (!workdir.includes("*")) return workdir;
  const message = `A rule of the policy uses $WORKDIR, and the working directory ${workdir} has a "*" in its name, which a rule reads as any characters.`;
  const hint = 'Rename the directory so that its path has no "*", or write rules without $WORKDIR.';
  throw errorOf("team_invalid", message, { data: { directory: workdir }, hint });
}

/** A text that is equal for equal policies; empty when there is no rule. */
export const policyMark = (rules: readonly PolicyRule[]): string =>
  rules.length === 0 ? "" : createHash("sha256").update(JSON.stringify(rules)).digest("hex");
