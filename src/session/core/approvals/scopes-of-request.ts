import type { PermissionRequest } from "../../../engine/index.ts";
import type { ScopeOption } from "../../../wire/session/approval-events.ts";
import type { ApprovalScope } from "../../../wire/session/shared-schemas.ts";

type Update = PermissionRequest["suggestions"][number];
type Rule = Extract<Update, { type: "addRules" }>["rules"][number];

/** The scopes that a request offers, from the SDK's suggestions. */
export function scopesOf(request: PermissionRequest): ScopeOption[] {
  const { default_to_no } = request;
  const suggestions = narrowest(request);
  const once: ScopeOption = { scope: "once", label: "Allow this once" };
  if (suggestions.length === 0 || default_to_no === true) return [once];
  const options = [once, optionOf("session", forSession(suggestions))];
  if (suggestions.some(isLasting)) options.push(optionOf("always", suggestions));
  return options;
}

/** The permission updates behind a choice; undefined if the request does not offer it. */
export function updatesOf(request: PermissionRequest, scope: ApprovalScope): Update[] | undefined {
  const offered = scopesOf(request).find((option) => option.scope === scope);
  if (!offered) return undefined;
  if (scope === "once") return [];
  const updates = narrowest(request);
  if (scope === "session") return forSession(updates);
  // "Always" is written to settings that may not be read (those of an untrusted project), and it includes this
  // session.
  return [...updates, ...forSession(updates.filter(isLasting))];
}

/**
 * The SDK may suggest a rule for the command and, beside it, a mode that allows far more. A person who approves a
 * command means the command.
 */
function narrowest({ suggestions }: PermissionRequest): Update[] {
  const hasRules = suggestions.some(({ type }) => type === "addRules");
  return hasRules ? suggestions.filter(({ type }) => type !== "setMode") : suggestions;
}

const forSession = (updates: readonly Update[]): Update[] =>
  updates.map((update) => ({ ...update, destination: "session" }));

const isLasting = ({ destination }: Update): boolean =>
  destination !== "session" && destination !== "cliArg";

function optionOf(scope: ApprovalScope, updates: readonly Update[]): ScopeOption {
  const what = updates.map(describe).join(", ");
  const label =
    scope === "session"
      ? `Allow ${what} for this session`
      : `Always allow ${what} ${placeOf(updates)}`;
  return { scope, label, suggestions: updates.map((update) => ({ ...update })) };
}

function describe(update: Update): string {
  switch (update.type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return update.rules.map(ruleText).join(", ");
    case "setMode":
      return `everything that mode ${update.mode} allows`;
    default:
      return update.directories.join(", ");
  }
}

const places: Partial<Record<Update["destination"], string>> = {
  localSettings: "in this project, for you",
  projectSettings: "in this project, for everybody",
  userSettings: "in all your projects",
};

const placeOf = (updates: readonly Update[]): string =>
  places[updates.find(isLasting)?.destination ?? "localSettings"] ?? "";

/** For people to read, so without the escapes that the CLI gets. */
const ruleText = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
