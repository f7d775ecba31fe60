/**
 * For so long a host runs an agent without hearing the team name it, by its own steady clock. Much longer than any restart of
 * a server takes. Tests shorten it, on all machines of a team alike.
 */
export const HOST_LEASE_MS: number = Number(
  process.env["SWITCHBOARD_TEST_HOST_LEASE_MS"] ?? 120_000,
);

/** After so long without a word of a host it has stopped its agents: two clocks do not go equally fast. */
export const CERTAINLY_STOPPED_MS: number = HOST_LEASE_MS + 10_000;
