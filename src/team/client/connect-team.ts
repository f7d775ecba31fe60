import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/connect-with-retries.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { TeamClientOptions } from "./team-client.ts";
import { TeamClient } from "./team-client.ts";

export interface ConnectTeamOptions extends TeamClientOptions {
  /** Cancels the first connection, also while the team does not answer. */
  readonly signal?: AbortSignal;
}

const once = { tries: 1, firstDelayMs: 0, maxDelayMs: 0, factor: 1 };

/**
 * Connects to the control socket of a team.
 *
 * @throws `team_not_running` when no process serves the socket; `unsafe_place` when another user does; the signal's reason.
 */
export async function connectTeam(
  path: string,
  { signal: giveUp, ...options }: ConnectTeamOptions = {},
): Promise<TeamClient> {
  let isFirst = true;
  const connect = async (signal: AbortSignal) => {
    const socket = await dial(path, { policy: once, signal }).catch((cause: unknown) => {
      if (!isFirst || isCode(cause, "unsafe_place")) throw cause;
      throw notRunning(`No team is running at ${path}.`, path, cause);
    });
    isFirst = false;
    return channel(socket, jsonLines);
  };
  return TeamClient.open(connect, options, giveUp).catch((error: unknown) => {
    throw isCode(error, "connection_lost")
      ? notRunning(`The team at ${path} did not answer.`, path, error)
      : error;
  });
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof ClaudeCodeError && error.code === code;

const notRunning = (message: string, socket: string, cause: unknown): ClaudeCodeError =>
  errorOf("team_not_running", message, { data: { socket }, cause });
