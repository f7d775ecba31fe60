import type { JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { DebugEvent, EngineEvent } from "../events.ts";

export type Emit = (event: EngineEvent) => void;

/** The mark of what a sub-agent did. */
export const fromSubagent = (parent: string | null | undefined): { parent?: string } =>
  typeof parent === "string" ? { parent } : {};

/** The SDK has parsed these values from JSON; only its types do not say so. */
export const asJson = (value: unknown): JsonValue => value as JsonValue;

/** A message as it came, because this version has no name for it or could not read it. */
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
