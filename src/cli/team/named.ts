import { InvalidArgumentError } from "commander";
import type { TeamClient } from "../../team/control/client.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamMethod, TeamParamsInput } from "../../wire/team-control.ts";
import { parseTeamParams } from "../../wire/team-control.ts";
import { brief } from "./brief.ts";

/**
 * Asks the team about something that a person has named. A name that cannot be anybody's is told as one that
 * is nobody's: the team would speak of the fields of its protocol.
 */
export async function requestNamed<Method extends TeamMethod>(
  team: TeamClient,
  method: Method,
  params: TeamParamsInput<Method>,
  nobody: ClaudeCodeError,
): Promise<unknown> {
  if (!parseTeamParams(method, params).ok) throw nobody;
  return team.request(method, params);
}

const shown = (name: string): string => brief(name) || '""';

export const noTask = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no open task ${shown(id)}.`, {
    hint: "'switchboard tasks' lists the open ones.",
  });

export const noDeadLetter = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no dead letter ${shown(id)}.`, {
    hint: "'switchboard dlq' lists them.",
  });

export const noRequest = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `No agent waits for a decision on ${shown(id)}.`, {
    hint: "'switchboard approvals' lists what is pending.",
  });

export const noAgent = (id: string, ids: readonly string[]): ClaudeCodeError =>
  errorOf("agent_not_found", `There is no agent ${shown(id)} in this team.`, {
    hint: `Its agents are: ${ids.join(", ")}. ('switchboard status' lists them.)`,
  });

/** Words that a person gives for somebody to read. */
export function words(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It is empty: say something.");
}
