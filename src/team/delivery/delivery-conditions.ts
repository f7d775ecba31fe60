import type { Bus } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";
import { isQuiet, wantsAnswer } from "../messages/message-types.ts";
import { idOfAutomaticAnswer } from "../messages/derive-message-id.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { findHoldUp } from "./why-not-startable.ts";
import type { Recipient } from "./recipient-port.ts";
import type { Look } from "./stage.ts";
import type { Subject } from "./turn-tasks.ts";
import { mayJoin, subjectOf, subjectsOf, tasksOfTurn } from "./turn-tasks.ts";

/** The conditions that have to be read from records. */
type Read = Pick<Look, "holdUp" | "isQuiet" | "mayJoin">;

/** The conditions that are known without reading. */
export interface Instant extends Omit<Look, keyof Read | "isExpired"> {
  /** A push of it may have reached the session. */
  readonly tried: boolean;
  /** The message may be given to a call. */
  readonly mayOffer: boolean;
  readonly isBusy: boolean;
  /** How many tasks of the recipient were canceled so far. */
  readonly cancellations: number;
  /** What the running turn, or the one that is about to start, deals with. */
  readonly inTurn: readonly string[];
}

type Conditions = Read & { readonly subject: Subject };

export interface ConditionsOptions {
  readonly bus: Pick<Bus, "get">;
  readonly tasks: TaskBook;
  readonly recipient: Pick<Recipient, "cutTasks" | "refusalOf">;
  /** Whether more is on its way to this task than the message. */
  readonly isMoreComing: (task: Task) => Promise<boolean>;
}

const nothing: Conditions = {
  holdUp: undefined,
  isQuiet: false,
  mayJoin: true,
  subject: { kind: "other" },
};

/**
 * Reads the conditions of a message's delivery that are not known already, and only those that the decision needs.
 */
export async function readConditions(
  message: CCMessage,
  now: Instant,
  { bus, tasks, recipient, isMoreComing }: ConditionsOptions,
): Promise<Conditions> {
  if (now.isControl || now.isAsleep || now.isSeen) return nothing;
  // The messages of a turn start one, or take part in it.
  if (now.isTaken) return { ...nothing, isQuiet: !now.inTurn.includes(message.id) };
  const holdUp = now.tried ? undefined : await findHoldUp(tasks, recipient, message);
  if (holdUp) return { ...nothing, holdUp };
  if (now.mayOffer && (now.waitingCall ?? now.resentCall) !== undefined) return nothing;
  const startsNoTurn =
    isQuiet(message) ||
    (!now.isBusy && (await mayStartNoTurn(tasks, recipient, message, isMoreComing)));
  const subject = await subjectOf(message, tasks);
  if (startsNoTurn || !now.isBusy) return { ...nothing, isQuiet: startsNoTurn, subject };
  const turn = tasksOfTurn(await subjectsOf(now.inTurn, bus, tasks), recipient.cutTasks);
  return { ...nothing, mayJoin: mayJoin(subject, turn), subject };
}

/**
 * An answer that belongs to a canceled task needs no action, so it starts no turn. An agent whose budget is spent
 * has one turn left, to finish in: the last answer that it waits for starts that turn, and anything else is only
 * added to its conversation. Requests were judged before.
 *
 * @param isMoreComing whether more is on its way to this task than this message.
 */
async function mayStartNoTurn(
  tasks: TaskBook,
  recipient: Pick<Recipient, "refusalOf">,
  message: CCMessage,
  isMoreComing: (task: Task) => Promise<boolean>,
): Promise<boolean> {
  if (wantsAnswer(message)) return false;
  const answered = message.reply_to === null ? undefined : await tasks.find(message.reply_to);
  const parent = answered?.parent == null ? undefined : await tasks.find(answered.parent);
  if (parent?.state === "canceled") return true;
  const refusal = await recipient.refusalOf(answered?.parent ?? undefined);
  if (refusal === undefined) return false;
  const isAwaited =
    answered !== undefined &&
    [answered.outcome, idOfAutomaticAnswer(answered.id)].includes(message.id);
  return !isAwaited || (parent !== undefined && (await isMoreComing(parent)));
}
