import { Command, InvalidArgumentError } from "commander";
import { errorOf } from "../../wire/errors.ts";
import { followTimeline, RECENT } from "./follow-timeline.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";

const examples = `
Examples:
  switchboard tail             show what happens from now on
  switchboard tail --since 0   show everything that has happened
  switchboard tail --json      print one event per line, with its number;
                               continue later with --since NUMBER`;

interface Flags extends TeamPlace {
  since?: number;
  json?: boolean;
}

/** `switchboard tail`: the team's timeline, live. */
export function tailCommand(): Command {
  return new Command("tail")
    .description("follow the timeline of a team; for a stopped team, show its last events")
    .option("--since <seq>", "begin after the event with this number; 0 shows all", seqOf)
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print every event as one line of JSON")
    .addHelpText("after", examples)
    .action(async ({ since, json = false, ...place }: Flags) => {
      await using team = await readTeam(place, json);
      const { last_seq, pid } = team.init;
      if (since !== undefined && since > last_seq) throw notYet(since, last_seq);
      // Nothing more will happen in a stopped team, so its last events are shown.
      const begin = pid === undefined ? Math.max(0, last_seq - RECENT) : last_seq;
      await followTimeline(team, { since: since ?? begin, json });
    });
}

const notYet = (since: number, newest: number) =>
  errorOf("invalid_params", `There is no event ${since} yet: the newest is ${newest}.`, {
    data: { since, last_seq: newest },
    hint: "Leave --since out to see what happens from now on, or use --since 0 to see everything.",
  });

function seqOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected the number of an event, or 0.");
}
