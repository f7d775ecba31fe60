import type { Bus } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import { isAnswer, wantsAnswer } from "../messages/message-types.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/** What a turn is about because of one message. */
export type Subject =
  /** A request: the turn is about its task. */
  | { readonly kind: "request"; readonly task: string }
  /** An answer: the turn goes on with the task for which its question was asked, if there was one. */
  | { readonly kind: "answer"; readonly task: string | undefined }
  /** A note, or words that the team does not know: no task. */
  | { readonly kind: "other" };

/**
 * The tasks that a turn is about, and so the tasks that its final text answers: those of its requests, and
 * those that its answers belong to.
 *
 * @param cut tasks whose turn was cut short, and which this turn continues.
 */
export function tasksOfTurn(subjects: readonly Subject[], cut: Iterable<string> = []): Set<string> {
  const tasks = new Set(cut);
  for (const subject of subjects) {
    if (subject.kind !== "other" && subject.task !== undefined) tasks.add(subject.task);
  }
  return tasks;
}

/**
 * Whether this message may join a turn about these tasks. An answer joins only a turn about its own task, because the
 * final text would otherwise go to an agent that the turn is not about. Any other message does not change what the final
 * text answers, or tells the model that it does.
 */
export const mayJoin = (subject: Subject, turn: ReadonlySet<string>): boolean =>
  subject.kind !== "answer" || (subject.task !== undefined && turn.has(subject.task));

/** What a turn is about because of this message, according to the records. */
export async function subjectOf(
  message: CCMessage,
  tasks: Pick<TaskBook, "find">,
): Promise<Subject> {
  if (wantsAnswer(message)) return { kind: "request", task: message.id };
  if (message.reply_to === null || !isAnswer(message)) return { kind: "other" };
  const parent = (await tasks.find(message.reply_to))?.parent;
  return { kind: "answer", task: parent ?? undefined };
}

/** The same for all messages of a turn, by their ids. */
export async function subjectsOf(
  ids: Iterable<string>,
  bus: Pick<Bus, "get">,
  tasks: Pick<TaskBook, "find">,
): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const id of ids) {
    const message = (await bus.get(id))?.message;
    if (message) subjects.push(await subjectOf(message, tasks));
  }
  return subjects;
}
