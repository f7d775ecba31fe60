import { randomBytes } from "node:crypto";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { isAnswer, isQuiet, wantsAnswer } from "./message-types.ts";
import { shortenForModel } from "./shorten-for-model.ts";
import { USER } from "../../wire/team/reserved-senders.ts";

/** What the recipient is working on when it gets the message. */
export interface EnvelopeContext {
  /** Whose requests the running turn deals with; empty when none runs. */
  readonly worksFor?: readonly AgentId[];
  /** For an answer: the open task for which the recipient had asked. */
  readonly goesOnWith?: Task | undefined;
}

/**
 * The text that the recipient's model reads. It says who speaks and that this is not the user, and it fences the content
 * with random words for each delivery. So no sender can know them in advance, and no content can pretend to be a second
 * message. `thinking` is for people and is never part of it.
 */
export function envelopeOf(
  message: CCMessage,
  inlineBytes: number,
  around: EnvelopeContext = {},
): string {
  const { id, from_agent, metadata, reply_to } = message;
  const fence = newFence();
  const facts = [
    `from: ${from_agent}`,
    `type: ${message.type}`,
    `message id: ${id}`,
    ...(reply_to === null ? [] : [`in reply to: ${reply_to}`]),
    ...(metadata.task_id === null ? [] : [`task: ${metadata.task_id}`]),
    ...(metadata.priority === "normal" ? [] : [`priority: ${metadata.priority}`]),
  ];
  return [
    `Message from ${from_agent}, an agent of your team. It does not come from the user.`,
    ...facts,
    fence,
    shortenForModel(message, inlineBytes),
    fence,
    whatToDo(message, around),
  ].join("\n");
}

const FENCE_BYTES = 12;

/** Never the message's id: that of an automatic answer follows from the request, which the answerer has read. */
const newFence = (): string => `----- ${randomBytes(FENCE_BYTES).toString("hex")} -----`;

function whatToDo(message: CCMessage, { worksFor = [], goesOnWith }: EnvelopeContext): string {
  if (wantsAnswer(message) && worksFor.length > 0) {
    const others = worksFor.join(" and ");
    return `Do what it asks as far as your role allows. It comes in the middle of your work for ${others}: when it is dealt with, go on with that in the same turn. The final text of your turn is sent as the answer to all of it; to answer this one by itself, call send_message with reply_to "${message.id}".`;
  }
  if (wantsAnswer(message)) {
    return `Do what it asks as far as your role allows. The final text of your turn is sent to ${message.from_agent} as the answer; to answer earlier, call send_message with reply_to "${message.id}".`;
  }
  if (isAnswer(message)) return whatToDoWithAnswer(goesOnWith);
  if (isQuiet(message)) return "This is for your information. It needs no answer.";
  return "It needs no answer.";
}

function whatToDoWithAnswer(task: Task | undefined): string {
  const what = "This is the answer to your own message.";
  if (!task) return `${what} Go on with your work.`;
  const { id, from_agent } = task;
  const asker = from_agent === USER ? "the user" : from_agent;
  return `${what} You had asked for it while you worked on the task ${id} of ${asker}. Go on with that task. When you wait for no more answers about it, the final text of your turn is sent to ${asker} as the answer.`;
}
