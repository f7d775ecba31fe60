import type { Logger } from "../../log/logger.ts";

/** How long a handler may take to notice that its call has ended. */
const NOTICE_MS = 5_000;

/**
 * Watches a handler that outlives its call. A function cannot be stopped from outside, so a handler that ignores its
 * signal goes on; the log tells its author.
 */
export function watchAbandonedHandler(running: Promise<unknown>, log: Logger): void {
  const since = Date.now();
  const timer = setTimeout(() => {
    log.warn(`The handler is still running ${NOTICE_MS / 1000} s after its call ended.`);
  }, NOTICE_MS);
  timer.unref();
  const ended = (): void => {
    clearTimeout(timer);
    log.debug({ ms: Date.now() - since }, "The handler ended after its call.");
  };
  running.then(ended, ended);
}
