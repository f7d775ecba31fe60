import type { SessionClient } from "../../client/session-client.ts";
import type { AgentSpec } from "../file/team.ts";

/** What the courier has to know of the agent that it serves. */
export interface Recipient {
  readonly spec: AgentSpec;
  /** Its session, when it can take messages. */
  readonly session: SessionClient | undefined;
  /** The session's conversation has this message, as far as is known. */
  hasSeen(id: string): boolean;
  /** It has the message, and the end of the turn that deals with it has yet to be heard. */
  awaitsTurnOf(id: string): boolean;
  /** It has it in the result of a call. */
  hasCarried(id: string): boolean;
  /** A turn is running, or is about to. */
  readonly isBusy: boolean;
  readonly isAsleep: boolean;
  /** Why there can be no turn of it for this task; undefined when there can. */
  refusalOf(taskId: string | undefined): Promise<Error | undefined>;
  /** The id of an open call that waits for the answer to this message. */
  openCallFor(messageId: string): string | undefined;
  /** Does this call still wait for its result? */
  isOpenCall(callId: string): boolean;
  wake(): void;
  /** A question came in the result of a call: the running turn has to deal with it. */
  gotQuestion(id: string): void;
}
