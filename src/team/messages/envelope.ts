import { Buffer } from "node:buffer";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import { isAnswer, isQuiet, wantsAnswer } from "./kind.ts";

/**
 * What the recipient's model reads. It says who speaks and that it is not the user, and it fences the
 * content with the message's id, which a sender cannot know in advance, so that no content can pretend
 * to be a second message. `thinking` is for people and never stands in here.
 *
 * @param worksFor whose requests the recipient is at work on, when this one comes in the middle of that.
 */
export function envelopeOf(
  message: CCMessage,
  inlineBytes: number,
  worksFor: readonly AgentId[] = [],
): string {
  const { id, from_agent, metadata, reply_to } = message;
  const fence = `----- ${id} -----`;
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
    bodyOf(message, inlineBytes),
    fence,
    whatToDo(message, worksFor),
  ].join("\n");
}

/** The content, or so much of it as a model should read unasked. */
function bodyOf({ id, content }: CCMessage, inlineBytes: number): string {
  const bytes = Buffer.byteLength(content);
  if (bytes <= inlineBytes) return content;
  return `${preview(content, inlineBytes)}\n[This is the beginning of ${bytes} bytes. Read the rest with read_message {"id": "${id}"}.]`;
}

function whatToDo(message: CCMessage, worksFor: readonly AgentId[]): string {
  if (wantsAnswer(message) && worksFor.length > 0) {
    const others = worksFor.join(" and ");
    return `Do what it asks as far as your role allows. It comes in the middle of your work for ${others}: when it is dealt with, go on with that in the same turn. The final text of your turn is sent as the answer to all of it; to answer this one by itself, call send_message with reply_to "${message.id}".`;
  }
  if (wantsAnswer(message)) {
    return `Do what it asks as far as your role allows. The final text of your turn is sent to ${message.from_agent} as the answer; to answer earlier, call send_message with reply_to "${message.id}".`;
  }
  if (isAnswer(message)) return "This is the answer to your own message. Go on with your work.";
  if (isQuiet(message)) return "This is for your information. It needs no answer.";
  return "It needs no answer.";
}

/** So many bytes of UTF-8 as fit, without half a character at the end. */
function preview(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString();
  return cut.replace(/\uFFFD$/, "");
}
