import type { EngineOptions } from "../../engine/options.ts";
import type { PermissionRequest } from "../../engine/permission.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";

type Update = PermissionRequest["suggestions"][number];
type AddedRules = Extract<Update, { type: "addRules" }>;
type Rule = AddedRules["rules"][number];

/** What session grants say to a CLI that is started anew. */
export type StandingGrants = Required<
  Pick<EngineOptions, "allowedTools" | "disallowedTools" | "additionalDirectories">
> &
  Pick<EngineOptions, "settings">;

/**
 * A rule goes to the CLI by its lists of tools, or, where these would take it apart, by its settings. A
 * grant that neither can carry is left out, so that the person is asked again: none may come to mean
 * more than was granted. The mode is left out as well: it may have changed since, and the log knows it.
 *
 * @param settings those that the CLI is started with anyway
 */
export function standingGrants(
  grants: readonly JsonObject[],
  settings?: EngineOptions["settings"],
): StandingGrants {
  const updates = grants as unknown as readonly Update[];
  const rulesOf = (behavior: AddedRules["behavior"]): Rule[] =>
    updates.flatMap((update) =>
      update.type === "addRules" && update.behavior === behavior ? update.rules : [],
    );
  const [allow, deny] = [rulesOf("allow"), rulesOf("deny")];
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

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const textsOf = (rules: readonly Rule[]): string[] => unique(rules.map(ruleText));

/** As Claude Code writes it down, with its own escapes. */
const ruleText = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined
    ? toolName
    : `${toolName}(${ruleContent.replaceAll("\\", "\\\\").replaceAll("(", "\\(").replaceAll(")", "\\)")})`;

/**
 * Claude Code takes its lists of tools apart at blanks and commas, wherever the last parenthesis before
 * them is none or a closing one, escaped or not: of `Bash(f(1), Bash)` it would make a rule for all of Bash.
 */
const staysWhole = (rule: Rule): boolean => !/(?:^|\))[^(]*[\s,]/.test(ruleText(rule));

/** Settings have a place, and paths in their rules may count from it: then they would be others. */
const isForSettings = ({ toolName }: Rule): boolean => toolName === "Bash";

interface Rules {
  allow: string[];
  deny: string[];
}

/** Undefined when there is nothing to add, or when the settings are a file, which is the person's own. */
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
