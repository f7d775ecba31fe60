import type { EngineOptions, PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";

type Update = PermissionRequest["suggestions"][number];
type AddedRules = Extract<Update, { type: "addRules" }>;
type Rule = AddedRules["rules"][number];

/** The session's grants in the form that a new CLI is started with. */
export type StandingGrants = Required<
  Pick<EngineOptions, "allowedTools" | "disallowedTools" | "additionalDirectories">
> &
  Pick<EngineOptions, "settings">;

/**
 * Passes a rule to the CLI in its lists of tools or, where the CLI would split it there, in its settings. A grant
 * that fits neither is left out, so the person is asked again: no grant may come to mean more than the person
 * allowed. The mode is left out too: it may have changed since, and the log knows it.
 *
 * @param settings the settings that the CLI is started with anyway
 */
export function standingGrants(
  grants: readonly JsonObject[],
  settings?: EngineOptions["settings"],
): StandingGrants {
  const updates = grants as unknown as readonly Update[];
  const [allow, deny] = [rulesOf(grants, "allow"), rulesOf(grants, "deny")];
  const more = withRules(settings, {
    allow: textsOf(allow.filter((rule) => !staysWhole(rule) && isForSettings(rule))),
    deny: textsOf(deny.filter((rule) => !staysWhole(rule) && isForSettings(rule))),
  });
  return {
    allowedTools: textsOf(allow.filter(staysWhole)),
    disallowedTools: textsOf(deny.filter(staysWhole)),
    additionalDirectories: unique(
      updates.flatMap((update) => (update.type === "addDirectories" ? update.directories : [])),
    ),
    ...(more !== undefined && { settings: more }),
  };
}

/** The rules that updates add. */
export const rulesOf = (grants: readonly JsonObject[], behavior: AddedRules["behavior"]): Rule[] =>
  (grants as unknown as readonly Update[]).flatMap((update) =>
    update.type === "addRules" && update.behavior === behavior ? update.rules : [],
  );

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const textsOf = (rules: readonly Rule[]): string[] => unique(rules.map(spellRule));

/** The rule in Claude Code's own spelling, with its escapes. */
export const spellRule = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined
    ? toolName
    : `${toolName}(${ruleContent.replaceAll("\\", "\\\\").replaceAll("(", "\\(").replaceAll(")", "\\)")})`;

/**
 * Claude Code splits its lists of tools at blanks and commas, wherever the last parenthesis before them is missing or
 * a closing one, escaped or not: it would read `Bash(f(1), Bash)` as a rule for all of Bash.
 */
const staysWhole = (rule: Rule): boolean => !/(?:^|\))[^(]*[\s,]/.test(spellRule(rule));

/**
 * Paths in the rules of a settings file may be relative to that file, so rules with paths would change their meaning
 * there.
 */
const isForSettings = ({ toolName }: Rule): boolean => toolName === "Bash";

interface Rules {
  allow: string[];
  deny: string[];
}

/** Returns undefined when there is nothing to add, or when the settings are a file, which belongs to the person. */
function withRules(
  settings: EngineOptions["settings"] = {},
  { allow, deny }: Rules,
): JsonObject | undefined {
  if (allow.length === 0 && deny.length === 0) return undefined;
  if (typeof settings === "string" && !settings.trimStart().startsWith("{")) return undefined;
  const given: unknown = typeof settings === "string" ? JSON.parse(settings) : settings;
  const { permissions, ...others } = isRecord(given) ? given : {};
  const known = isRecord(permissions) ? permissions : {};
  return {
    ...others,
    permissions: {
      ...known,
      allow: [...listOf(known["allow"]), ...allow],
      deny: [...listOf(known["deny"]), ...deny],
    },
  } as JsonObject;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
