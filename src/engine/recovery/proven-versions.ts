/**
 * The CLI versions on which the recovery suite passed (test/e2e/recovery-*.test.ts, 20 rounds each). What
 * recovery leans on is not documented, so a version is added here only after a full run.
 */
const provenVersions: readonly string[] = ["2.1.325"];

export const isProven = (cliVersion: string): boolean => provenVersions.includes(cliVersion);
