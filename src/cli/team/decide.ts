import { Command, Option } from "commander";
import type { ApprovalScope } from "../../wire/session-terms.ts";
import { ApprovalScopeSchema } from "../../wire/session-terms.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { print, printJson } from "./print.ts";

interface Flags extends TeamPlace {
  json?: boolean;
}

/** `switchboard approve ID`: lets a tool run. */
export function approveCommand(): Command {
  return new Command("approve")
    .description("allow what an agent asks for")
    .argument("<id>", "as 'switchboard approvals' lists it")
    .addOption(
      new Option("--scope <scope>", "for this call, this session, or for ever")
        .choices(ApprovalScopeSchema.options)
        .default("once"),
    )
    .addOption(stateDirOption())
    .action(async (id: string, { scope, json, ...place }: Flags & { scope: ApprovalScope }) => {
      await using team = await connectTeam(place);
      tell(await team.request("approve", { request_id: id, scope }), "Allowed.", json);
    });
}

/** `switchboard deny ID`: keeps a tool from running. */
export function denyCommand(): Command {
  return new Command("deny")
    .description("refuse what an agent asks for")
    .argument("<id>", "as 'switchboard approvals' lists it")
    .option("--reason <text>", "the model reads it")
    .addOption(stateDirOption())
    .action(async (id: string, { reason, json, ...place }: Flags & { reason?: string }) => {
      await using team = await connectTeam(place);
      const params = { request_id: id, ...(reason !== undefined && { reason }) };
      tell(await team.request("deny", params), "Denied.", json);
    });
}

/** `switchboard down`: stops the team. */
export function downCommand(): Command {
  return new Command("down")
    .description("stop the running team")
    .addOption(stateDirOption())
    .action(async ({ json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      await team.request("down", {});
      await team.closed;
      tell({ stopped: team.init.team }, `The team ${team.init.team} is stopped.`, json);
    });
}

/** `switchboard restart AGENT`: gives a quarantined agent another chance, or wakes one that sleeps. */
export function restartCommand(): Command {
  return new Command("restart")
    .description("start an agent again that was quarantined, or wake it")
    .argument("<agent>", "its name")
    .addOption(stateDirOption())
    .action(async (agent: string, { json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      tell(await team.request("restart", { agent }), `${agent} is being started.`, json);
    });
}

const tell = (result: unknown, text: string, json = false): void =>
  json ? printJson(result) : print(text);
