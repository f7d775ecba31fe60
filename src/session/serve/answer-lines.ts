import { cliSupport } from "../../engine/cli-support.ts";
import { toWire } from "../../wire/error-wire.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { SessionAnswer, SessionAnswerOf } from "../../wire/session/answers.ts";
import type { SessionCommandOf } from "../../wire/session/commands.ts";
import { SESSION_PROTOCOL_VERSION } from "../../wire/protocol-versions.ts";
import type { Session } from "../core/session.ts";
import type { EventLog } from "../log/event-log.ts";
import type { ServerContext } from "./server-context.ts";

/** In base64 this is still well below the limit of a line. */
const MAX_BLOB_PART_BYTES = 4_194_304;

/** The fields of a command that an answer repeats. */
export interface ClientRequest {
  readonly ref?: string | undefined;
  readonly request_id?: string | undefined;
}

export const refOf = ({ ref }: ClientRequest): { ref?: string } =>
  ref === undefined ? {} : { ref };

/** Never throws: if the command's fields are too long to be repeated, the answer leaves them out. */
export function errorLine(thrown: unknown, question: ClientRequest): Uint8Array {
  try {
    return encodeLine(errorAnswer(thrown, question));
  } catch (tooLarge) {
    return encodeLine(errorAnswer(tooLarge, {}));
  }
}

function errorAnswer(thrown: unknown, question: ClientRequest): SessionAnswerOf<"error"> {
  const { request_id } = question;
  return {
    type: "error",
    ...refOf(question),
    ...(request_id !== undefined && { request_id }),
    ...toWire(thrown),
  };
}

/** The fields of a refused line that tell its sender which one it was. */
export function requestOf(value: unknown): ClientRequest {
  const { ref, request_id } = (value ?? {}) as Record<string, unknown>;
  return {
    ...(typeof ref === "string" && { ref }),
    ...(typeof request_id === "string" && { request_id }),
  };
}

/** The log limits its pages to what fits into a line. */
export async function historyAnswer(
  log: EventLog,
  command: SessionCommandOf<"history">,
): Promise<SessionAnswer> {
  const { events, more } = await log.history(command.before, command.limit, command);
  return { type: "history", ...refOf(command), events, more };
}

export async function foundAnswer(
  log: EventLog,
  command: SessionCommandOf<"search">,
): Promise<SessionAnswer> {
  const found = await log.search(command.text, command.before, command.limit);
  return { type: "found", ...refOf(command), ...found };
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

/** The first line that a client receives. */
export function initAnswer(
  context: ServerContext,
  { readOnly, client }: { readOnly: boolean; client: string },
): SessionAnswerOf<"init"> {
  const { session, about } = context;
  return {
    type: "init",
    protocol: SESSION_PROTOCOL_VERSION,
    version: about.version,
    ...(session.cliVersion !== undefined && {
      cli_version: session.cliVersion,
      cli_support: cliSupport(session.cliVersion).kind,
    }),
    read_only: readOnly,
    rehearsal: about.rehearsal,
    client,
    at: hostTime(),
    ...session.status(),
    clients: context.clients(),
  };
}

export const statusAnswer = (
  context: ServerContext,
  command: ClientRequest,
): SessionAnswerOf<"status"> => ({
  type: "status",
  ...refOf(command),
  ...context.session.status(),
  clients: context.clients(),
});

export function choicesAnswer(session: Session): SessionAnswerOf<"choices"> {
  const { models, modes, slash_commands } = session.status();
  return {
    type: "choices",
    ...(models && { models }),
    ...(modes && { modes }),
    ...(slash_commands && { slash_commands }),
  };
}

export const hostTime = (): string => new Date().toISOString();

/**
 * The line of an answer that lists pending requests. Each request fits into a line, but all of them together may not:
 * then their payloads are replaced by references.
 *
 * @throws `message_too_large` when something else is too large; `log_write_failed`.
 */
export function statusLine(
  answer: SessionAnswerOf<"init"> | SessionAnswerOf<"status">,
  log: EventLog,
): Uint8Array {
  try {
    return encodeLine(answer);
  } catch (error) {
    if (!(error instanceof ClaudeCodeError && error.code === "message_too_large")) throw error;
    const pending = answer.pending.map((request) => log.lighten(request));
    return encodeLine({ ...answer, pending });
  }
}
