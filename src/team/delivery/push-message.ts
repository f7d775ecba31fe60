import type { Logger } from "../../log/logger.ts";
import type { Team } from "../file/team.ts";
import { isAnswer } from "../messages/message-types.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { DeliveryEntry } from "./entries.ts";
import type { Recipient } from "./recipient-port.ts";
import { askersOf, toSessionMessage } from "./to-session-message.ts";
import type { Fact } from "./stage.ts";
import type { Waits } from "./open-waits.ts";

export interface PushOptions {
  readonly recipient: Pick<Recipient, "id" | "session" | "hasSeen">;
  readonly tasks: TaskBook;
  readonly waits: Pick<Waits, "cameAsMessage">;
  readonly team: Team;
  readonly log: Logger;
}

/** How a message is pushed. */
export interface PushManner {
  readonly quiet: boolean;
  /** A turn runs, or is about to, without this message. */
  readonly isBusy: boolean;
}

/** Sends a message to the recipient's session, and returns what came of that. Never rejects. */
export async function pushMessage(
  { message, subject }: DeliveryEntry,
  { quiet, isBusy }: PushManner,
  { recipient, tasks, team, waits, log }: PushOptions,
): Promise<Fact> {
  const task = subject.kind === "answer" ? subject.task : undefined;
  const goesOnWith = task === undefined ? undefined : tasks.get(task);
  const worksFor = isBusy ? askersOf(tasks, recipient.id) : [];
  const around = { worksFor, goesOnWith };
  if (isAnswer(message)) waits.cameAsMessage(message);
  try {
    const answer = await recipient.session?.send(...toSessionMessage(message, team, quiet, around));
    if (!answer) return { type: "push_failed" };
    // A process before this one may have pushed it, and the session may have told of its end before this one listened.
    const over = answer.over ?? (recipient.hasSeen(message.id) ? "seen" : undefined);
    return { type: "push_taken", over };
  } catch (error) {
    log.warn({ err: error, message: message.id }, "A push failed.");
    return { type: "push_failed" };
  }
}

/** Takes a message out of the session's queue. Its end comes as an event; a message that is read already stays. */
export async function takeBackMessage(
  id: string,
  { recipient, log }: Pick<PushOptions, "recipient" | "log">,
): Promise<void> {
  try {
    await recipient.session?.drop(id);
  } catch (error) {
    log.warn({ err: error, message: id }, "A message could not be taken back.");
  }
}
