import type { JsonObject, JsonValue } from "../wire/json.ts";
import type { SessionState } from "./session-state.ts";
import { emptyState } from "./session-state.ts";

const maps = [
  "accepted",
  "dropped",
  "calls",
  "finished",
  "cut",
  "pending",
  "notices",
  "resolved",
  "given",
  "revoked",
  "subagents",
  "offers",
] as const;

/** The state as JSON. Accepted ids are left out because they only grow; the caller stores them separately. */
export function stateToJson(state: SessionState): JsonObject {
  const { acceptedIds: _, ...rest } = state;
  const entries = maps.map((name) => [name, [...state[name]]]);
  // Through JSON once, so that undefined fields are absent on both sides of a comparison.
  return JSON.parse(JSON.stringify({ ...rest, ...Object.fromEntries(entries) }));
}

/** The inverse of `stateToJson`. The caller has checked that the input is intact. */
export function stateFromJson(json: JsonObject, acceptedIds: Iterable<string>): SessionState {
  const entries = maps.map((name) => [name, new Map((json[name] ?? []) as [string, JsonValue][])]);
  return {
    ...emptyState(),
    ...(json as object),
    ...Object.fromEntries(entries),
    acceptedIds: new Set(acceptedIds),
  };
}
