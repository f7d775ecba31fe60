import { errorOf } from "../wire/errors.ts";

/** The program is there, but there is no process for it. */
export const refusedBySystem = (command: string) =>
  errorOf("start_failed", `The system did not start ${command}`, {
    data: { command },
    hint: "Look at the limits on processes and open files (ulimit -u, ulimit -n).",
  });
