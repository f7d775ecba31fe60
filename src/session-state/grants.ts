import type { JsonObject } from "../wire/json.ts";
import { isRecord, isSameJson } from "../wire/json.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { Grant } from "../wire/session/shared-schemas.ts";
import type { SessionState } from "./session-state.ts";

type Grants = Pick<SessionState, "grants" | "given" | "revoked">;

/** A repeated `revoke` of the newest this many grants is known as such. */
const MAX_REVOKED = 1000;

/**
 * The permission that an approval beyond its call gives; undefined when it gives none. One that only changes the mode is
 * no grant: `set_mode` takes it back.
 */
export function grantOf(event: SessionEventOf<"approval_resolved">): Grant | undefined {
  const { request_id: id, granted = [], scope, file, by, at } = event;
  const rule = ruleOf(granted);
  if ((scope !== "session" && scope !== "always") || rule === "") return undefined;
  return {
    id,
    scope,
    rule,
    granted,
    ...(file !== undefined && { file }),
    ...(by !== undefined && { by }),
    at,
  };
}

export function addGrant(state: Grants, event: SessionEventOf<"approval_resolved">): void {
  // Scope `always` includes the session; what is in Claude Code's settings as well is not ours to pass on.
  for (const update of event.granted ?? []) {
    if (update["destination"] !== "session") continue;
    if (!state.grants.some((known) => isSameJson(known, update))) state.grants.push(update);
  }
  const grant = grantOf(event);
  if (grant) state.given.set(grant.id, grant);
}

/** An update that another grant has as well stays in force. */
export function removeGrant(
  { given, revoked, grants }: Grants,
  { grant: id, by }: SessionEventOf<"grant_revoked">,
): void {
  const grant = given.get(id);
  given.delete(id);
  revoked.set(id, by);
  const [oldest] = revoked.keys();
  if (revoked.size > MAX_REVOKED && oldest !== undefined) revoked.delete(oldest);
  const others = [...given.values()].flatMap((each) => each.granted);
  const isGone = (update: JsonObject): boolean =>
    hasSame(grant?.granted ?? [], update) && !hasSame(others, update);
  grants.splice(0, grants.length, ...grants.filter((update) => !isGone(update)));
}

const hasSame = (updates: readonly JsonObject[], one: JsonObject): boolean =>
  updates.some((update) => isSameJson(update, one));

/** What permission updates allow, as a person would write it: `Bash(npm test *), /a/directory`. */
export const ruleOf = (updates: readonly JsonObject[]): string =>
  [...new Set(updates.flatMap(rulesIn))].join(", ");

function rulesIn({ rules, directories }: JsonObject): string[] {
  const named = Array.isArray(directories) ? directories : [];
  const written = (Array.isArray(rules) ? rules : []).flatMap((rule) => {
    if (!isRecord(rule) || typeof rule["toolName"] !== "string") return [];
    const { toolName, ruleContent } = rule;
    return [typeof ruleContent === "string" ? `${toolName}(${ruleContent})` : toolName];
  });
  return [...written, ...named.map(String)];
}
