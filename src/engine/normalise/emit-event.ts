import type { JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { DebugEvent, EngineEvent } from "../events.ts";

export type Emit = (event: EngineEvent) => void;

/** Marks an event as a sub-agent's. */
export const fromSubagent = (parent: string | null | undefined): { parent?: string } =>
  typeof parent === "string" ? { parent } : {};

/** The SDK parsed these values from JSON, though its types do not show it. */
export const asJson = (value: unknown): JsonValue => value as JsonValue;

/** The raw message, because this version cannot name or read it. */
export function debugOf(message: unknown, problem?: string): DebugEvent {
  const { type, subtype } = isRecord(message) ? message : {};
  const words = [type, subtype].filter((word) => typeof word === "string");
  return {
    type: "debug",
    sdk_type: words.join("/"),
    message: asJson(message),
    ...(problem !== undefined && { problem }),
  };
}
