import { InvalidArgumentError } from "commander";
import type { TeamReader, TeamRequest } from "../../team/core.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamParamsInput } from "../../wire/team/control-methods.ts";
import { parseTeamParams } from "../../wire/team/control-methods.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import { oneLine } from "./one-line.ts";

/**
 * Asks the team about something that a person has named. An impossible name is reported like an unknown one: the team
 * would report a field of its protocol.
 */
export async function requestNamed<Method extends TeamRequest>(
  team: TeamReader,
  method: Method,
  params: TeamParamsInput<Method>,
  nobody: ClaudeCodeError,
): Promise<TeamResults[Method]> {
  if (!parseTeamParams(method, params).ok) throw nobody;
  return team.request(method, params);
}

const shown = (name: string): string => oneLine(name) || '""';

export const noTask = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no open task ${shown(id)}.`, {
    hint: "'switchboard tasks' lists the open ones.",
  });

export const noMessage = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no message ${shown(id)}.`, {
    hint: "'switchboard tasks --all' lists what was asked, with its ids.",
  });

export const noDeadLetter = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no dead letter ${shown(id)}.`, {
    hint: "'switchboard dlq' lists them.",
  });

export const noRequest = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `No agent waits for a decision on ${shown(id)}.`, {
    hint: "'switchboard approvals' lists what is pending.",
  });

export const noNotice = (id: string): ClaudeCodeError =>
  errorOf("unknown_request", `There is no open notice ${shown(id)}.`, {
    hint: "'switchboard notices' lists those that nobody has acknowledged.",
  });

export const noAgent = (id: string, ids: readonly string[]): ClaudeCodeError =>
  errorOf("agent_not_found", `There is no agent ${shown(id)} in this team.`, {
    hint: `Its agents are: ${ids.join(", ")}. ('switchboard status' lists them.)`,
  });

/** A text that a person writes for others to read. */
export function words(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("The text is empty.");
}
