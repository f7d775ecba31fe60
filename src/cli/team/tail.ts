import { Command, InvalidArgumentError } from "commander";
import type { TeamItem } from "../../team/control/client.ts";
import { listenForInterruption } from "../interruption.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { print, printJson } from "./print.ts";
import { TimelineLines } from "./timeline-line.ts";

const examples = `
Examples:
  switchboard tail                 what happens from now on
  switchboard tail --since 0       everything that has happened
  switchboard tail --json          one event per line, with its number: go on after it with --since`;

interface Flags extends TeamPlace {
  since?: number;
  json?: boolean;
}

/** `switchboard tail`: the team's timeline, live. */
export function tailCommand(): Command {
  return new Command("tail")
    .description("follow what happens in the running team")
    .option("--since <seq>", "begin after this event; 0 for all", seqOf)
    .addOption(stateDirOption())
    .option("--json", "print every event as a line of JSON")
    .addHelpText("after", examples)
    .action(async ({ since, json = false, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const lines = new TimelineLines(process.stdout);
      const { last_seq, log_id: logId } = team.init;
      const show = (item: TeamItem): void => {
        if (item.type === "delta") return;
        const line = json ? undefined : lines.lineOf(item);
        if (json) printJson(item);
        else if (line !== undefined) print(line);
      };
      const { reset } = await team.follow({ since: since ?? last_seq, logId }, show);
      if (reset && !json) {
        process.stderr.write(`There is no event ${since} yet: from the beginning.\n`);
      }
      using interruption = listenForInterruption();
      await Promise.race([team.closed, interruption.first]);
    });
}

function seqOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected the number of an event, or 0.");
}
