import { Command } from "commander";
import { moveOffice } from "../../team/index.ts";
import { teamOnBus } from "./bus-options.ts";
import { print, printJson } from "./print-for-people.ts";

const examples = `
Examples:
  switchboard office move --bus nats://10.0.0.5:4222 --credentials team.json
      move it to any machine that stands by
  switchboard office move h2 --bus nats://10.0.0.5:4222 --credentials team.json
      move it to h2

The office is the machine that runs the team: its rules, tasks and timeline.
Machines stand by with 'switchboard up TEAM.yaml --bus URL --standby'. Agents
on joined hosts go on; an agent without a host begins anew on the new machine.`;

interface MoveFlags {
  bus: string;
  credentials?: string;
  team?: string;
  json?: boolean;
}

/** `switchboard office`: on which machine a team runs. */
export function officeCommand(): Command {
  const command = new Command("office").description("move a team to another machine");
  command
    .command("move")
    .description("let a machine that stands by run the team from now on")
    .argument("[host]", "the machine (default: any that stands by)")
    .requiredOption("--bus <url>", "the NATS server of the team, as nats://HOST:PORT")
    .option("--credentials <file>", "what 'switchboard bus init' wrote for the team")
    .option("--team <name>", "the team's name (default: that of the credentials)")
    .option("--json", "print the outcome as one line of JSON")
    .addHelpText("after", examples)
    .action(move);
  return command;
}

async function move(host: string | undefined, flags: MoveFlags): Promise<void> {
  const { team, bus } = await teamOnBus(flags);
  const moved = await moveOffice(team, bus, host);
  const { from, to, epoch, tookMs } = moved;
  if (flags.json) return printJson({ team, from, to, epoch, took_ms: tookMs });
  print(`${to} runs the team ${team} now, in place of ${from}. It took ${tookMs} ms.`);
}
