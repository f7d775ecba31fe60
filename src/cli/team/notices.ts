import { Command } from "commander";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { oneLine } from "./one-line.ts";
import { noNotice, requestNamed } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { dayTime, print, printJson, table } from "./print-for-people.ts";

const ALL = 1000;

interface Flags extends TeamPlace {
  json?: boolean;
}

/** `switchboard notices`: warnings and errors that nobody has acknowledged. */
export function noticesCommand(): Command {
  return new Command("notices")
    .description("list warnings and errors that nobody has acknowledged")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each notice as one line of JSON")
    .action(async ({ json = false, ...place }: Flags) => {
      await using team = await readTeam(place, json);
      const { notices } = await team.request("notices", { limit: ALL });
      if (json) for (const notice of notices) printJson(notice);
      else if (notices.length === 0) print("No open notices.");
      else showNotices(notices);
    });
}

const showNotices = (notices: readonly TeamEventOf<"notice">[]): void =>
  print(
    table([
      ["ID", "TIME", "LEVEL", "AGENT", "WHAT"],
      ...notices.map(({ id = "", at, level, agent = "", message }) => [
        id,
        dayTime(at),
        level,
        agent,
        oneLine(message, 100),
      ]),
    ]),
  );

/** `switchboard ack ID`: a person has seen to a notice. */
export function ackCommand(): Command {
  return new Command("ack")
    .description("acknowledge a notice, so that it is no longer open")
    .argument("[id]", "the id that 'switchboard notices' lists")
    .option("--all", "acknowledge all that are open now")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the outcome as one line of JSON")
    .action(async (id: string | undefined, flags: Flags & { all?: boolean }) => {
      const { json = false, all = false, ...place } = flags;
      if ((id === undefined) !== all) throw oneOrAll();
      await using team = await connectChosenTeam(place);
      const ids =
        id === undefined
          ? (await team.request("notices", { limit: ALL })).notices.map((notice) => notice.id ?? "")
          : [id];
      for (const each of ids) await requestNamed(team, "ack", { id: each }, noNotice(each));
      if (json) printJson({ acknowledged: ids });
      else print(`Acknowledged: ${ids.length}.`);
    });
}

const oneOrAll = () =>
  errorOf("invalid_params", "Expected the id of a notice, or --all.", {
    hint: "'switchboard notices' lists those that are open.",
  });
