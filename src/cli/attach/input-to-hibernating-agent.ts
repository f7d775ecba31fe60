import type { OwnOutcome } from "./own-commands.ts";
import { ownCommandNames } from "./own-commands.ts";
import { commandIn, mustBeKnown } from "./slash-command.ts";
import type { Elsewhere } from "./observer-rows.ts";
import { onlyWatched } from "./observer-rows.ts";

/** An agent without a process. A message starts it. */
export interface SleepingAgent {
  /** Sends the agent a message. Absent when this person may not. */
  readonly send?: ((text: string) => Promise<void>) | undefined;
  /** Resolves when the agent has a session. */
  readonly awake: Promise<void>;
}

/**
 * What a person enters while only the log of a session can be read: a message for an agent that it wakes.
 *
 * @throws `read_only` when there is no agent to wake, or the line is a command for a session; `invalid_params` when it is
 * a mistyped one.
 */
export async function sendToSleeper(
  line: string,
  sleeper: SleepingAgent | undefined,
  elsewhere: Elsewhere,
): Promise<OwnOutcome> {
  const command = commandIn(line);
  const isCommand = command !== undefined && ownCommandNames.includes(command);
  if (!sleeper?.send || isCommand) throw onlyWatched(elsewhere);
  mustBeKnown(line, ownCommandNames, undefined);
  await sleeper.send(line);
  return "sent";
}
