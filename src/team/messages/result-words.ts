import type { CCMessage } from "../../wire/team/messages.ts";

// What the result of a call says when it carries a message. It is read again after a crash: by then it
// stands in the conversation, and nobody knows any more what was handed to which call.

export const answerWords = ({ from_agent, id, content }: CCMessage): string =>
  `Answer from ${from_agent} (message ${id}):\n${content}`;

export const questionWords = ({ from_agent, id, content }: CCMessage): string =>
  `${from_agent} asks something first (message ${id}). This is not the answer yet:\n${content}\n\nAnswer it with send_message {"to": "${from_agent}", "reply_to": "${id}", "wait": true}: that returns the answer to your own request. If you end your turn without answering it, the final text of the turn is sent to ${from_agent} too.`;

/** A refusal quotes what the model has written, and that may look like anything: behind its number nothing counts. */
const CARRIED =
  /^(?:(?!Error -\d).)*?(?:Answer from \S+|\S+ asks something first) \(message ([0-9a-f-]{36})\)/;

/** The id of the message that this result carries. What the message itself says begins on the next line. */
export const messageCarriedBy = (result: string): string | undefined => CARRIED.exec(result)?.[1];
