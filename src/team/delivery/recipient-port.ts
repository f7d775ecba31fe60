import type { SessionClient } from "../../client/index.ts";
import type { TurnPlace } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";

/**
 * What an inbox asks about the agent that it serves. All of it follows from the agent's state and its session's events;
 * the inbox itself knows where each message is.
 */
export interface Recipient {
  readonly id: AgentId;
  /** Takes messages; undefined while the session cannot, or may not, get any. */
  readonly session: Pick<SessionClient, "send" | "drop"> | undefined;
  /** The agent hibernates. */
  readonly isAsleep: boolean;
  /** Starts an agent that hibernates. */
  wake(): void;
  /** A turn is running, or a message that the session has is about to start one. */
  readonly isBusy: boolean;
  /** The messages of the running turn, and those that the session has and that are about to start one. */
  readonly openMessages: readonly string[];
  /** Where the running turn begins in the session's log, when that is known. */
  readonly runningTurn: { readonly turn?: TurnPlace };
  /** Tasks whose turn was cut short: the next turn goes on with them. */
  readonly cutTasks: ReadonlySet<string>;
  /** Whether the session's conversation has this message, according to the events read so far. */
  hasSeen(id: string): boolean;
  /** Whether the session's log has this message, according to the events read so far. */
  hasTaken(id: string): boolean;
  /** Whether this call still waits for its result. */
  isOpenCall(callId: string): boolean;
  /** The id of an open call of send_message that has sent this message and waits for its answer. */
  openCallFor(messageId: string): string | undefined;
  /** Why the agent may have no turn for this task, such as a spent budget; undefined when it may. */
  refusalOf(taskId: string | undefined): Promise<Error | undefined>;
}
