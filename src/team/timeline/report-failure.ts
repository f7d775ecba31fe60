import type { Logger } from "../../log/logger.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { Timeline } from "./timeline.ts";

/** Called when something has failed that no caller waits for. */
export type OnTrouble = (what: string, error: unknown) => void;

/** Tells people of such failures: in the timeline and in the log. */
export const failureReporter =
  (timeline: Pick<Timeline, "append">, log: Logger): OnTrouble =>
  (what, error) => {
    const { code, message, hint } = toWire(error);
    log.error({ err: error }, what);
    timeline.append({ type: "notice", level: "error", code, message: `${what}: ${message}`, hint });
  };
