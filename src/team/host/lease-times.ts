/**
 * For so long a host runs an agent without hearing the team name it, by its own steady clock. Much longer than any restart of
 * a server takes.
 */
export const HOST_LEASE_MS = 120_000;
