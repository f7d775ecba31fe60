import { describeTeam } from "./file/describe-team-file.ts";
import type { Team } from "./file/team.ts";
import { keepDescription } from "./record/stored-team-description.ts";
import { SHUT_OUT_HINT, shutOutTools, shutOutWarning } from "./rules/policy-blocks-team-tools.ts";
import type { TeamEventDraft, Timeline } from "./timeline/timeline.ts";
import { teamToolNames } from "./tools/team-tool-names.ts";

export interface StartFacts {
  /** The address of a rehearsal that plays the model. */
  readonly rehearsalUrl?: string | undefined;
  /** The project, and the project of the previous start. */
  readonly directory?: string | undefined;
  readonly lastDirectory?: string | undefined;
}

/** Tells people that the team has started, and which of its tools its policy denies to agents. */
export function announceStart(team: Team, timeline: Timeline, facts: StartFacts): void {
  const { rehearsalUrl, directory, lastDirectory } = facts;
  const { openedAfter } = timeline;
  const started = {
    type: "team_started" as const,
    team: team.name,
    lead: team.lead,
    agents: [...team.agents.keys()],
    rehearsal: rehearsalUrl !== undefined,
    restarted: !timeline.isNew,
    ...(directory !== undefined && { directory }),
    ...(lastDirectory !== undefined && { last_directory: lastDirectory }),
    ...(openedAfter !== undefined && { last_at: openedAfter }),
  } satisfies TeamEventDraft;
  timeline.append(started, [keepDescription(describeTeam(team))]);
  for (const shutOut of shutOutTools(team.policy, team.agents.keys(), teamToolNames)) {
    const message = shutOutWarning(shutOut);
    const code = "tools_shut_out";
    timeline.append({ type: "notice", level: "warn", code, message, hint: SHUT_OUT_HINT });
  }
}
