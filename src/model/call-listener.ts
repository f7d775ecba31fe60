import type { EngineEvent } from "../engine/index.ts";
import { createLogger } from "../log/logger.ts";
import type { ModelOptions } from "./model-options.ts";

const log = createLogger({ name: "model" });

/** Calls a message callback. Its errors, now or later, are logged and go no further. */
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
