import type { EngineEvent } from "../../src/engine/events.ts";
import { Normaliser } from "../../src/engine/normalise/normaliser.ts";
import { asMessage } from "./sdk-messages.ts";

/** The events that a new normaliser makes of these messages of the SDK. */
export function normalised(...samples: unknown[]): EngineEvent[] {
  const events: EngineEvent[] = [];
  const normaliser = new Normaliser((event) => events.push(event));
  for (const sample of samples) normaliser.take(asMessage(sample));
  return events;
}
