import { toWire } from "../../wire/error-wire.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { SessionAnswer, SessionAnswerOf } from "../../wire/session-answers.ts";
import type { SessionCommandOf } from "../../wire/session-commands.ts";
import type { EventLog } from "../log/event-log.ts";

/** In base64 it is still well below what fits into a line. */
const MAX_BLOB_PART_BYTES = 4_194_304;

/** What a client asked for about, as far as an answer repeats it. */
export interface Question {
  readonly ref?: string | undefined;
  readonly request_id?: string | undefined;
}

export const refOf = ({ ref }: Question): { ref?: string } => (ref === undefined ? {} : { ref });

/** Never throws: a question that is too long to be repeated in the answer is left out of it. */
export function errorLine(thrown: unknown, question: Question): Uint8Array {
  try {
    return encodeLine(errorAnswer(thrown, question));
  } catch (tooLarge) {
    return encodeLine(errorAnswer(tooLarge, {}));
  }
}

function errorAnswer(thrown: unknown, question: Question): SessionAnswerOf<"error"> {
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

/** The log cuts its pages to what fits into a line. */
export async function historyAnswer(
  log: EventLog,
  command: SessionCommandOf<"history">,
): Promise<SessionAnswer> {
  const { events, more } = await log.history(command.before, command.limit);
  return { type: "history", ...refOf(command), events, more };
}

export async function blobAnswer(
  log: EventLog,
  command: SessionCommandOf<"get_blob">,
): Promise<SessionAnswer> {
  const limit = Math.min(command.limit ?? MAX_BLOB_PART_BYTES, MAX_BLOB_PART_BYTES);
  const { bytes, offset, data } = await log.readBlob(command.blob, command.offset, limit);
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return { type: "blob", ...refOf(command), blob: command.blob, bytes, offset, data: base64 };
}
