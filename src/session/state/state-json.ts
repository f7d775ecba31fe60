import type { JsonObject, JsonValue } from "../../wire/json.ts";
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
  "subagents",
] as const;

/** The state as JSON. Accepted ids are left out: they grow for ever, so whoever stores it adds them. */
export function stateToJson(state: SessionState): JsonObject {
  const { acceptedIds: _, ...rest } = state;
  const entries = maps.map((name) => [name, [...state[name]]]);
  // Through JSON once: what is undefined is absent on both sides of a comparison.
  return JSON.parse(JSON.stringify({ ...rest, ...Object.fromEntries(entries) }));
}

/** The inverse of `stateToJson`. What it is given has been written by it, and checked to be intact. */
export function stateFromJson(json: JsonObject, acceptedIds: Iterable<string>): SessionState {
  const entries = maps.map((name) => [name, new Map((json[name] ?? []) as [string, JsonValue][])]);
  return {
    ...emptyState(),
    ...(json as object),
    ...Object.fromEntries(entries),
    acceptedIds: new Set(acceptedIds),
  };
}
