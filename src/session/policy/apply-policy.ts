import type { JsonObject } from "../../wire/json.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import type { RecordedDecision } from "../core/approvals/decision-for-cli-and-log.ts";
import { kindOf } from "../core/approvals/request-draft.ts";
import type { PolicyVerdict } from "../../policy/judge-call.ts";
import { judgeCall } from "../../policy/judge-call.ts";

type Call = { readonly tool: string; readonly input: JsonObject };

/** What the policy says about a call. A person always answers the model's questions and plans. */
export const verdictOn = (policy: readonly PolicyRule[], call: Call): PolicyVerdict | undefined =>
  kindOf(call) === "approval_request" ? judgeCall(policy, call) : undefined;

/** Why Claude Code must ask before it runs the call; undefined when no rule holds the call back. */
export function reasonToAsk(policy: readonly PolicyRule[], call: Call): string | undefined {
  const verdict = verdictOn(policy, call);
  if (!verdict || verdict.action === "allow") return undefined;
  return `The policy has a rule for this call: ${verdict.rule}`;
}

/** The rule's decision; undefined when it leaves the decision to a person. */
export function decisionBy({ action, rule, reason }: PolicyVerdict): RecordedDecision | undefined {
  if (action === "ask") return undefined;
  if (action === "allow")
    return { decision: { allow: true }, resolution: { outcome: "allowed", rule } };
  const message = reason ?? `The policy does not allow this call: ${rule}`;
  return {
    decision: { allow: false, message },
    resolution: { outcome: "denied", reason: message, rule },
  };
}
