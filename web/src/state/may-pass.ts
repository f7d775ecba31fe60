import { isProgramError } from "../link/errors.ts";

const passing: ReadonlySet<string> = new Set([
  "agent_unavailable",
  "connection_failed",
  "connection_lost",
  "timeout",
]);

/** Whether a connection that could not be made may be made later: what starts has no socket yet. */
export const mayPass = (error: unknown): boolean =>
  !isProgramError(error) || passing.has(error.code);
