import type { Incoming, StreamProtocol } from "../stream/stream-protocol.ts";
import type { Checked } from "../wire/check-message.ts";
import { fromWire } from "../wire/error-wire.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionAnswer, SessionAnswerOf, SessionMessage } from "../wire/session/answers.ts";
import { isRecord } from "../wire/json.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";
import type { SessionEvent } from "../wire/session/events.ts";
import { SESSION_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";

/** The types of a session's stream. */
export interface SessionStream {
  readonly init: SessionAnswerOf<"init">;
  readonly event: SessionEvent;
  /** Who is connected, what a person can choose from, and calls of tools that this client offers. */
  readonly live: SessionAnswerOf<"clients" | "choices" | "tool_call" | "tool_cancel">;
  readonly command: SessionCommandInput;
  readonly answer: SessionAnswer;
  readonly line: SessionCommandInput;
}

const ATTACH_REF = "attach";

/** Checks one line of a session. */
export type CheckMessage = (value: unknown) => Checked<SessionMessage>;

/**
 * Checks only what the stream itself depends on, and trusts the host with the fields: so a page needs no schemas. Events of
 * a newer host that this client does not know pass too.
 */
export const trustHost: CheckMessage = (value) =>
  isRecord(value) && typeof value["type"] === "string" && isSeq(value["seq"])
    ? { ok: true, value: value as unknown as SessionMessage }
    : {
        ok: false,
        error: errorOf(
          "invalid_request",
          "The session sent a line that is no message of a session.",
        ),
      };

const isSeq = (seq: unknown): boolean =>
  seq === undefined || (Number.isSafeInteger(seq) && Number(seq) >= 0);

/** How a session writes its stream. */
export const sessionProtocol = (check: CheckMessage): StreamProtocol<SessionStream> => ({
  peer: "session",
  attachRefs: [ATTACH_REF],
  read(value): Checked<Incoming<SessionStream>> {
    const checked = check(value);
    return checked.ok ? { ok: true, value: incomingOf(checked.value) } : checked;
  },
  attach({ protocol }, { since, logId, epoch }, client) {
    if (protocol !== SESSION_PROTOCOL_VERSION) throw otherProtocol(protocol);
    return [
      {
        type: "attach",
        ref: ATTACH_REF,
        ...(client !== undefined && { client }),
        since,
        ...(logId !== undefined && { log_id: logId }),
        ...(epoch !== undefined && { epoch }),
      },
    ];
  },
  lineOf: (command, ref) => ({ ...command, ref }),
});

function incomingOf(message: SessionMessage): Incoming<SessionStream> {
  if (isEvent(message)) return { kind: "event", event: message };
  if (message.type === "init") return { kind: "init", init: message };
  if (message.type === "attached") return { kind: "attached", attached: message };
  if (message.type === "clients" || message.type === "choices") {
    return { kind: "live", item: message };
  }
  if (message.type === "tool_call") return { kind: "live", item: message };
  if (message.type === "tool_cancel") return { kind: "live", item: message };
  const { ref } = message;
  if (message.type === "error") return { kind: "refusal", ref, error: fromWire(message) };
  return { kind: "answer", ref, answer: message };
}

const isEvent = (message: SessionMessage): message is SessionEvent => message.seq !== undefined;

function otherProtocol(theirs: number): ClaudeCodeError {
  const message = `The session uses version ${theirs} of the protocol, this client uses version ${SESSION_PROTOCOL_VERSION}.`;
  return errorOf("invalid_request", message, {
    hint: "Use a client of the same version as the session.",
    data: { session: theirs, client: SESSION_PROTOCOL_VERSION },
  });
}
