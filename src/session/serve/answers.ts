import { encodeLine } from "../../wire/lines.ts";
import { toWire } from "../../wire/error-wire.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionAnswer, SessionAnswerOf } from "../../wire/session-answers.ts";
import type { SessionCommandOf } from "../../wire/session-commands.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import type { EventLog } from "../log/event-log.ts";

/** In base64 it is still well below what fits into a line. */
const MAX_BLOB_PART_BYTES = 4_194_304;

/** What a client asked for about, as far as an answer repeats it. */
export interface Question {
  readonly ref?: string | undefined;
  readonly request_id?: string | undefined;
}

export const refOf = ({ ref }: Question): { ref?: string } => (ref === undefined ? {} : { ref });

export function errorAnswer(thrown: unknown, question: Question): SessionAnswerOf<"error"> {
  const { request_id } = question;
  return {
    type: "error",
    ...refOf(question),
    ...(request_id !== undefined && { request_id }),
    ...toWire(thrown),
  };
}

/** What a line that was refused says of itself, so that its sender knows which one it was. */
export function questionOf(value: unknown): Question {
  const { ref, request_id } = (value ?? {}) as Record<string, unknown>;
  return {
    ...(typeof ref === "string" && { ref }),
    ...(typeof request_id === "string" && { request_id }),
  };
}

/** As many of the newest events of the page as fit into a line; the client asks on for the others. */
export async function historyLine(
  log: EventLog,
  command: SessionCommandOf<"history">,
): Promise<Uint8Array> {
  const page = await log.history(command.before, command.limit);
  let { events, more } = page;
  for (;;) {
    try {
      return encodeLine(historyAnswer(command, events, more));
    } catch (error) {
      if (!isTooLarge(error) || events.length < 2) throw error;
      events = events.slice(Math.ceil(events.length / 2));
      more = true;
    }
  }
}

const historyAnswer = (
  command: SessionCommandOf<"history">,
  events: SessionEvent[],
  more: boolean,
): SessionAnswer => ({ type: "history", ...refOf(command), events, more });

const isTooLarge = (error: unknown): boolean =>
  error instanceof ClaudeCodeError && error.code === "message_too_large";

export async function blobAnswer(
  log: EventLog,
  command: SessionCommandOf<"get_blob">,
): Promise<SessionAnswer> {
  const limit = Math.min(command.limit ?? MAX_BLOB_PART_BYTES, MAX_BLOB_PART_BYTES);
  const { bytes, offset, data } = await log.readBlob(command.blob, command.offset, limit);
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return { type: "blob", ...refOf(command), blob: command.blob, bytes, offset, data: base64 };
}
