import type { Logger } from "../../log/logger.ts";

/** How long what still waits may keep the process of a session that has ended. */
const EXIT_MS = 3_000;

/** Makes sure that the process ends soon, with the exit code that it has by then. */
export function exitInTime(logger: Logger): void {
  const exit = (): void => {
    logger.error({ resources: process.getActiveResourcesInfo() }, "something kept the process");
    process.exit();
  };
  setTimeout(exit, EXIT_MS).unref();
}
