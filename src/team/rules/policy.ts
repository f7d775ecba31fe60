import type { JsonObject, JsonValue } from "../../wire/json.ts";
import type { AgentId } from "../../wire/team.ts";
import type { PolicyRule } from "../file/team-schema.ts";

export interface PolicyVerdict {
  readonly action: "allow" | "deny" | "ask";
  /** The rule in words, for the record; absent when no rule fits and a person is asked. */
  readonly rule: string | undefined;
  readonly reason: string | undefined;
}

/** What the team file says about a tool call. The first rule that fits decides; without one, ask. */
export function judgeCall(
  policy: readonly PolicyRule[],
  agent: AgentId,
  call: { readonly tool: string; readonly input: JsonObject },
): PolicyVerdict {
  const subject = subjectOf(call.input);
  const index = policy.findIndex(
    ({ agents, tool, match }) =>
      (agents?.includes(agent) ?? true) &&
      fits(tool, call.tool) &&
      (match === undefined || fits(match, subject)),
  );
  const rule = policy[index];
  if (!rule) return { action: "ask", rule: undefined, reason: undefined };
  const { tool, match, action, reason } = rule;
  const named = match === undefined ? tool : `${tool}(${match})`;
  return { action, rule: `${index + 1}: ${action} ${named}`, reason };
}

/** The one thing that a call is about, as people write patterns for it. */
function subjectOf(input: JsonObject): string {
  const main = ["command", "file_path", "notebook_path", "path", "url", "pattern"]
    .map((field): JsonValue | undefined => input[field])
    .find((value) => typeof value === "string");
  return typeof main === "string" ? main : JSON.stringify(input);
}

/**
 * `*` stands for any characters. A pattern for a command must not let a second command in: so it fits a
 * text with a shell's joints only where it names them itself.
 */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(pattern === "*" ? "[\\s\\S]*" : "[^;&|`$<>\\n]*");
  return new RegExp(`^${source}$`).test(text);
}
