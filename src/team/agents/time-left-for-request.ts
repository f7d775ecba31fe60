interface Timed {
  readonly deadline?: string | undefined;
  readonly remaining_ms?: number | undefined;
}

/**
 * The time that is left now. What the session reported counts from its event, which may be read later. The result is
 * never more than that, whatever the clocks say.
 */
export function timeLeft(deadline: string, toldMs = Infinity): number {
  return Math.min(toldMs, Math.max(0, Date.parse(deadline) - Date.now()));
}

/** The request with the time that is left now. Without a deadline it stays as it is. */
export const withTimeLeft = <Request extends Timed>(request: Request): Request =>
  request.deadline === undefined
    ? request
    : { ...request, remaining_ms: timeLeft(request.deadline, request.remaining_ms) };
