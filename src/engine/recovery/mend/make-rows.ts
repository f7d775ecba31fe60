import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../wire/json.ts";
import type { MessageContent } from "../../to-sdk-message.ts";
import type { LoggedCall, LoggedMessage, LoggedText } from "./logged-turns.ts";

/** The fields about its origin that every row has. */
export interface RowPlace {
  sessionId: string;
  cwd: string;
  version: string;
  gitBranch: string;
  model: string;
}

/** A row that we add to the CLI's transcript. */
export type NewRow = JsonObject & { type: string; uuid: string };

/** The CLI's mark for text that is not the user's own. */
const RELAYED = "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]";
const NO_RESULT = "The result of this call is not known.";

/** A message's row carries the message's own id, so that rows that link to it find it again. */
export function messageRow({ at, message }: LoggedMessage, place: RowPlace): NewRow {
  const { id, content, relayed } = message;
  const source = relayed
    ? { isMeta: true, origin: { kind: "unclassified" }, promptSource: "system" }
    : { promptSource: "sdk" };
  return {
    ...rowOf("user", id, at, place),
    message: { role: "user", content: asJson(relayed ? marked(content) : content) },
    ...source,
    permissionMode: "default",
    turnAttributionKey: id,
  };
}

export function textRow({ at, text }: LoggedText, place: RowPlace): NewRow {
  return answerRow({ type: "text", text }, "end_turn", at, place);
}

export function callRow({ at, request_id, tool, input }: LoggedCall, place: RowPlace): NewRow {
  return answerRow({ type: "tool_use", id: request_id, name: tool, input }, "tool_use", at, place);
}

export function resultRow({ at, request_id, result }: LoggedCall, place: RowPlace): NewRow {
  const { content = NO_RESULT, isError = true } = result ?? {};
  const block = {
    type: "tool_result",
    tool_use_id: request_id,
    content: asJson(content),
    ...(isError && { is_error: true }),
  };
  return {
    ...rowOf("user", randomUUID(), result?.at ?? at, place),
    message: { role: "user", content: [block] },
  };
}

function answerRow(block: JsonObject, stop: string, at: string, place: RowPlace): NewRow {
  return {
    ...rowOf("assistant", randomUUID(), at, place),
    message: {
      id: `msg_restored_${randomUUID().replaceAll("-", "")}`,
      type: "message",
      role: "assistant",
      model: place.model,
      content: [block],
      stop_reason: stop,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  };
}

function rowOf(type: string, uuid: string, timestamp: string, place: RowPlace): NewRow {
  const { sessionId, cwd, version, gitBranch } = place;
  return {
    type,
    parentUuid: null,
    isSidechain: false,
    uuid,
    timestamp,
    userType: "external",
    entrypoint: "sdk-ts",
    cwd,
    sessionId,
    version,
    gitBranch,
  };
}

function marked(content: MessageContent): MessageContent {
  if (typeof content === "string") return `${RELAYED}\n${content}`;
  return [{ type: "text", text: RELAYED }, ...content];
}

/** The blocks of the Messages API are plain JSON, though their types do not show it. */
const asJson = (content: MessageContent) => content as unknown as string | JsonObject[];
