import { posix } from "node:path";
import type { JsonObject } from "../wire/json.ts";
import type { PolicyAction, PolicyRule } from "../wire/policy-rule.ts";
import { allows, holdsBack } from "./match-shell-command.ts";
import { fitsWildcard } from "./match-wildcard.ts";

export interface PolicyVerdict {
  readonly action: PolicyAction;
  /** The name of the rule that decides. */
  readonly rule: string;
  readonly reason?: string;
}

/** What the rules say about a tool call: the first match decides. Undefined without a match. */
export function judgeCall(
  policy: readonly PolicyRule[],
  call: { readonly tool: string; readonly input: JsonObject },
): PolicyVerdict | undefined {
  const readings = readingsOf(call.input);
  const index = policy.findIndex(
    ({ tool, match, action }) =>
      fitsWildcard(tool, call.tool) &&
      (match === undefined ||
        (action === "allow"
          ? readings.every((text) => allows(match, text))
          : readings.some((text) => holdsBack(match, text)))),
  );
  const rule = policy[index];
  if (!rule) return undefined;
  const { action, reason, name = nameOfRule(rule, index) } = rule;
  return { action, rule: name, ...(reason !== undefined && { reason }) };
}

/** The name by which people find the rule in their file, such as `2: deny Bash(rm *)`. */
export function nameOfRule(
  { tool, match, action }: Pick<PolicyRule, "tool" | "match" | "action">,
  index: number,
): string {
  return `${index + 1}: ${action} ${match === undefined ? tool : `${tool}(${match})`}`;
}

const asWritten = (text: string): string => text;
const asPath = (text: string): string => posix.normalize(text);
/** A URL without a path gets a slash, which people do not write into a rule. */
const asUrl = (text: string): string => {
  const href = URL.parse(text)?.href ?? text;
  return href === `${text}/` ? text : href;
};

/** What a call is about: the first of these fields that it has, and how to normalise it. */
const subjects: readonly [field: string, meaning: (text: string) => string][] = [
  ["command", asWritten],
  ["file_path", asPath],
  ["notebook_path", asPath],
  ["path", asPath],
  ["url", asUrl],
  ["pattern", asPath],
];

/**
 * The one thing that a call is about, as written and normalised. A path that begins in a directory may lead out of it
 * again.
 */
function readingsOf(input: JsonObject): readonly string[] {
  for (const [field, meaning] of subjects) {
    const text = input[field];
    if (typeof text === "string") return [text, meaning(text)];
  }
  return [JSON.stringify(input)];
}
