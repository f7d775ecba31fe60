import { posix } from "node:path";
import type { JsonObject } from "../../wire/json.ts";
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
  const readings = readingsOf(call.input);
  const index = policy.findIndex(
    ({ agents, tool, match, action }) =>
      (agents?.includes(agent) ?? true) &&
      fits(tool, call.tool) &&
      (match === undefined ||
        (action === "allow"
          ? readings.every((text) => allows(match, text))
          : readings.some((text) => holdsBack(match, text)))),
  );
  const rule = policy[index];
  if (!rule) return { action: "ask", rule: undefined, reason: undefined };
  const { tool, match, action, reason } = rule;
  const named = match === undefined ? tool : `${tool}(${match})`;
  return { action, rule: `${index + 1}: ${action} ${named}`, reason };
}

const asWritten = (text: string): string => text;
const asPath = (text: string): string => posix.normalize(text);
/** One that names a host alone gets a slash, which nobody writes into a rule. */
const asUrl = (text: string): string => {
  const href = URL.parse(text)?.href ?? text;
  return href === `${text}/` ? text : href;
};

/** What a call is about: the first of these that it has, and what that comes to. */
const subjects: readonly [field: string, meaning: (text: string) => string][] = [
  ["command", asWritten],
  ["file_path", asPath],
  ["notebook_path", asPath],
  ["path", asPath],
  ["url", asUrl],
  ["pattern", asPath],
];

/**
 * The one thing that a call is about, as people write patterns for it: as it is written, and as what it
 * comes to. A path that begins in a directory may lead out of it again.
 */
function readingsOf(input: JsonObject): readonly string[] {
  for (const [field, meaning] of subjects) {
    const text = input[field];
    if (typeof text === "string") return [text, meaning(text)];
  }
  return [JSON.stringify(input)];
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
