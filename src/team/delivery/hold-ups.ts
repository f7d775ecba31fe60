import type { Task } from "../../wire/team-task.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import { idOfAutomaticAnswer } from "../messages/message-id.ts";
import type { Office } from "../office.ts";
import { isEnded } from "../tasks/task.ts";
import type { Recipient } from "./recipient.ts";

/** Why a request is not given to its recipient now. */
export type HoldUp =
  | { readonly kind: "ended"; readonly task: Task }
  /** What it depends on is still being worked on. */
  | { readonly kind: "early" }
  | { readonly kind: "hopeless"; readonly why: string };

/** What a request depends on is not there, or there is nothing left to pay for it. */
export async function findHoldUp(
  { tasks }: Office,
  to: Recipient,
  message: CCMessage,
): Promise<HoldUp | undefined> {
  if (!wantsAnswer(message)) return undefined;
  const task = await tasks.find(message.id);
  if (task && isEnded(task.state)) return { kind: "ended", task };
  for (const id of task?.depends_on ?? []) {
    const needed = await tasks.find(id);
    if (needed?.state === "completed") continue;
    if (tasks.get(id)) return { kind: "early" };
    return { kind: "hopeless", why: `The task ${id}, which it depends on, was not completed.` };
  }
  const refusal = await to.refusalOf(message.id);
  return refusal && { kind: "hopeless", why: refusal.message };
}

/**
 * An agent whose budget is spent has one turn left to finish in: the last answer that it waits for begins that
 * one, all else is only added to its conversation. Requests have been judged before.
 */
export async function mayStartNoTurn(
  { parts, tasks }: Office,
  to: Recipient,
  message: CCMessage,
): Promise<boolean> {
  if (wantsAnswer(message)) return false;
  const answered = message.reply_to === null ? undefined : await tasks.find(message.reply_to);
  const parent = answered?.parent ?? undefined;
  const isAwaited =
    answered !== undefined &&
    [answered.outcome, idOfAutomaticAnswer(answered.id)].includes(message.id);
  const hasMore = parent !== undefined && parts.areOpenBeside(parent, message.id);
  if (isAwaited && !hasMore) return false;
  return (await to.refusalOf(parent)) !== undefined;
}
