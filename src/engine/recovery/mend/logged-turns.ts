import type { JsonObject } from "../../../wire/json.ts";
import type { EngineMessage, MessageContent } from "../../to-sdk-message.ts";

/** A message that the model was given. */
export interface LoggedMessage {
  kind: "message";
  at: string;
  message: EngineMessage;
  /** The CLI's transcript had it before. */
  seen: boolean;
}

/** A text of the model's answer. */
export interface LoggedText {
  kind: "text";
  at: string;
  text: string;
}

/** A tool call of the model, with its result if it has one. */
export interface LoggedCall {
  kind: "call";
  at: string;
  request_id: string;
  tool: string;
  input: JsonObject;
  result?: { at: string; content: MessageContent; isError: boolean };
}

export type LoggedItem = LoggedMessage | LoggedText | LoggedCall;

/** One turn as our log has it: its messages, texts and calls, in order. */
export interface LoggedTurn {
  items: readonly LoggedItem[];
  /** The model finished its answer. A turn that was cut has texts that the CLI never wrote down. */
  completed: boolean;
}

export const messagesIn = (turns: readonly LoggedTurn[]): LoggedMessage[] =>
  turns.flatMap(({ items }) => items.filter((item) => item.kind === "message"));
