import type { SessionClient } from "../../client/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";

/**
 * What an inbox asks about the agent that it serves. All of it is plain knowledge of the agent's life and of
 * its session's events; the inbox itself knows where each message is.
 */
export interface Recipient {
  readonly id: AgentId;
  /** Takes messages; undefined while the session cannot, or may not, get any. */
  readonly session: Pick<SessionClient, "send"> | undefined;
  /** The agent hibernates. */
  readonly isAsleep: boolean;
  /** Starts an agent that hibernates. */
  wake(): void;
  /** A turn is running, or a message that the session has is about to start one. */
  readonly isBusy: boolean;
  /** The messages of the running turn, and those that the session has and that are about to start one. */
  readonly openMessages: readonly string[];
  /** Tasks whose turn was cut short: the next turn goes on with them. */
  readonly cutTasks: ReadonlySet<string>;
  /** The session's conversation has this message, as far as its events have told. */
  hasSeen(id: string): boolean;
  /** The session's log has this message, as far as its events have told. */
  hasTaken(id: string): boolean;
  /** Does this call still wait for its result? */
  isOpenCall(callId: string): boolean;
  /** The id of an open call of send_message that has sent this message and waits for its answer. */
  openCallFor(messageId: string): string | undefined;
  /** Why the agent may have no turn for this task, such as a spent budget; undefined when it may. */
  refusalOf(taskId: string | undefined): Promise<Error | undefined>;
}
