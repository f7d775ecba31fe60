import type { Logger } from "../../log/logger.ts";

/** How long a handler may take to notice that its call has ended. */
const NOTICE_MS = 5_000;

/**
 * Watches a handler whose call has ended before it did. Nobody can stop a function from outside, so one
 * that ignores its signal goes on, and the log is where its author learns of it.
 */
export function watchAbandoned(running: Promise<unknown>, log: Logger): void {
  const since = Date.now();
  const timer = setTimeout(() => {
    log.warn(`The handler still runs ${NOTICE_MS / 1000} s after its call has ended.`);
  }, NOTICE_MS);
  timer.unref();
  const ended = (): void => {
    clearTimeout(timer);
    log.debug({ ms: Date.now() - since }, "The handler has ended after its call.");
  };
  running.then(ended, ended);
}
