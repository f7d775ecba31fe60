import type { JsonValue } from "../../wire/json.ts";
import type { EngineEvent } from "../events.ts";

export type Emit = (event: EngineEvent) => void;

/** The mark of what a sub-agent did. */
export const fromSubagent = (parent: string | null | undefined): { parent?: string } =>
  typeof parent === "string" ? { parent } : {};

/** The SDK has parsed these values from JSON; only its types do not say so. */
export const asJson = (value: unknown): JsonValue => value as JsonValue;
