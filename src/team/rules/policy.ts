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
    ({ agents, tool, match, action }) =>
      (agents?.includes(agent) ?? true) &&
      fits(tool, call.tool) &&
      (match === undefined || (action === "allow" ? allows : holdsBack)(match, subject)),
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
 * A pattern for a command must not let a second command in: so it fits a text with a shell's joints only
 * where it names them itself.
 */
const allows = (pattern: string, text: string): boolean =>
  fits(pattern, text, pattern === "*" ? ANY : UNJOINED);

/** Nothing that stands before or behind a command makes it harmless: each part of the text counts. */
const holdsBack = (pattern: string, text: string): boolean =>
  [text, ...text.split(JOINTS).map((part) => part.trim())].some((part) => fits(pattern, part));

const ANY = "[\\s\\S]*";
const UNJOINED = "[^;&|`$<>\\n]*";
/** Where a shell may begin another command. */
const JOINTS = /[;&|`$<>(){}!\n]|\b(?:then|do|else)\s/;

/** `*` stands for any characters, or for those that `star` names. */
function fits(pattern: string, text: string, star = ANY): boolean {
  const source = pattern
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(star);
  return new RegExp(`^${source}$`).test(text);
}
