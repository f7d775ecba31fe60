import { Command, InvalidArgumentError } from "commander";
import { noRequest, requestNamed } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, stateDirOption, teamOption } from "./find-team.ts";
import { clockTime, print, printJson } from "./print-for-people.ts";

const examples = `
Examples:
  switchboard hold ID 10m   have ten minutes from now to decide
  switchboard hold ID 2h    within two hours`;

/** `switchboard hold ID TIME`: moves the deadline of a request. */
export function holdCommand(): Command {
  return new Command("hold")
    .description("take more time for a decision: move the deadline of a request")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .argument("<time>", "how long from now, at most a day: 90s, 10m or 2h", msOf)
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the outcome as one line of JSON")
    .addHelpText("after", examples)
    .action(async (id: string, ms: number, { json, ...place }: TeamPlace & { json?: boolean }) => {
      await using team = await connectChosenTeam(place);
      const answer = await requestNamed(team, "hold", { request_id: id, ms }, noRequest(id));
      if (json === true) return printJson(answer);
      const { agent, remaining_ms: left } = answer;
      if (left === undefined) print(`${agent} waits for as long as it takes; nothing was changed.`);
      else print(`${agent} waits until ${clockTime(Date.now() + left)}.`);
    });
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const DAY_MS = 86_400_000;

function msOf(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= DAY_MS) return ms;
  throw new InvalidArgumentError("Expected a time of at most a day, such as 90s, 10m or 2h.");
}
