import type { EngineEvent } from "../engine/events.ts";
import { createLogger } from "../log/logger.ts";
import type { ModelOptions } from "./model-options.ts";

const log = createLogger({ name: "model" });

/** Calls a message callback. What it throws, now or later, is logged and goes no further. */
export function tellListener(listener: ModelOptions["onMessage"], event: EngineEvent): void {
  if (!listener) return;
  const complain = (err: unknown): void =>
    log.warn({ err, event: event.type }, "A message callback failed. The request goes on.");
  try {
    const told = listener(event);
    if (told instanceof Promise) told.catch(complain);
  } catch (thrown) {
    complain(thrown);
  }
}
