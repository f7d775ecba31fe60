import type { SessionView } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import { brief } from "./clean-text.ts";

/** A message that waits for its turn. */
export interface QueuedMessage {
  readonly id: string;
  /** Undefined when it is more than a text, or too long for the log. */
  readonly text: string | undefined;
}

const ROW_CHARS = 100;

/** The messages that wait, the oldest first. */
export const queuedIn = (view: SessionView): QueuedMessage[] =>
  view.queuedMessages.map((id) => {
    const text = view.state.accepted.get(id)?.event.text;
    return { id, text: typeof text === "string" ? text : undefined };
  });

/** The list with the numbers by which a person names them. */
export function queueRows(queued: readonly QueuedMessage[]): string {
  if (queued.length === 0) return "No message waits.";
  return queued
    .map(({ text = "(more than a text)" }, index) => `${index + 1}  ${brief(text, ROW_CHARS)}`)
    .join("\n");
}

/** The message with a number; without one, the only message. @throws `invalid_params` */
export function queuedBy(
  number: string | undefined,
  queued: readonly QueuedMessage[],
  command: string,
): QueuedMessage {
  const count = queued.length;
  if (count === 0) {
    throw errorOf("invalid_params", "No message waits.", {
      hint: "A message can be taken back only before the model gets it.",
    });
  }
  const message = queued[number === undefined && count === 1 ? 0 : Number(number) - 1];
  if (message && /^\d*$/.test(number ?? "")) return message;
  throw errorOf("invalid_params", `${command} needs the number of a message that waits.`, {
    hint: `Give a number from 1 to ${count}; /queue lists the messages.`,
  });
}
