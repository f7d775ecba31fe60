/** The subjects on which the processes of a team that could be its office speak. */
export const officeSubjects = (team: string) => ({
  beat: `sb.${team}.office`,
  ask: `sb.${team}.office.ask`,
  take: `sb.${team}.office.take`,
  standby: `sb.${team}.standby`,
});

export const OFFICE_BEAT_MS = 1000;
