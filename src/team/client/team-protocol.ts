import type { Incoming, StreamProtocol } from "../../stream/stream-protocol.ts";
import type { Checked } from "../../wire/check-message.ts";
import { isErrorCode } from "../../wire/error-table.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { TeamDelta, TeamInit, TeamMethod } from "../../wire/team/control-methods.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import { TEAM_PROTOCOL_VERSION } from "../../wire/protocol-versions.ts";

/** A request of the control socket, before it has an id. */
export interface TeamCommand {
  readonly method: TeamMethod;
  readonly params: object;
}

/** A JSON-RPC request, as it goes to the transport. */
export interface TeamRequestLine extends TeamCommand {
  readonly jsonrpc: "2.0";
  readonly id: string;
}

/** The types of a team's stream. */
export interface TeamStream {
  readonly init: TeamInit;
  readonly event: TeamEvent;
  readonly live: TeamDelta;
  readonly command: TeamCommand;
  readonly answer: unknown;
  readonly line: TeamRequestLine;
}

const HELLO = "hello";
const ATTACH = "attach";

const lineOf = (command: TeamCommand, id: string): TeamRequestLine => ({
  jsonrpc: "2.0",
  id,
  ...command,
});

/** How a team writes its stream: JSON-RPC answers between numbered events. */
export const teamProtocol: StreamProtocol<TeamStream> = {
  peer: "team",
  attachRefs: [HELLO, ATTACH],
  read(value): Checked<Incoming<TeamStream>> {
    const incoming = isRecord(value) ? incomingOf(value as JsonObject) : undefined;
    if (incoming) return { ok: true, value: incoming };
    return { ok: false, error: errorOf("invalid_request", "The team sent a line without a type.") };
  },
  attach({ protocol }, { since, logId }, client) {
    if (protocol !== TEAM_PROTOCOL_VERSION) throw otherProtocol(protocol);
    const params = { since, ...(logId !== undefined && { log_id: logId }) };
    return [
      ...(client === undefined ? [] : [lineOf({ method: "hello", params: { client } }, HELLO)]),
      lineOf({ method: "attach", params }, ATTACH),
    ];
  },
  lineOf,
};

/** The team's process is trusted to keep to its schemas, which its tests check; a field that is new does no harm. */
function incomingOf(value: JsonObject): Incoming<TeamStream> | undefined {
  if (value["jsonrpc"] !== undefined) return answerOf(value);
  if (value["type"] === "init") return { kind: "init", init: value as unknown as TeamInit };
  if (value["type"] === "delta") return { kind: "live", item: value as unknown as TeamDelta };
  if (typeof value["seq"] !== "number") return undefined;
  return { kind: "event", event: value as unknown as TeamEvent };
}

function answerOf({ id, result, error }: JsonObject): Incoming<TeamStream> {
  const ref = typeof id === "string" ? id : undefined;
  if (isRecord(error)) return { kind: "refusal", ref, error: errorFrom(error) };
  if (ref !== ATTACH) return { kind: "answer", ref, answer: result };
  return { kind: "attached", attached: result as unknown as TeamResults["attach"] };
}

/** A JSON-RPC error of ours carries the code of the table in its data. */
function errorFrom({ message, data }: Record<string, unknown>): ClaudeCodeError {
  const { code, hint, ...rest } = isRecord(data) ? (data as JsonObject) : {};
  return errorOf(
    isErrorCode(code) ? code : "internal",
    typeof message === "string" ? message : "",
    { data: rest, ...(typeof hint === "string" && { hint }) },
  );
}

function otherProtocol(theirs: number): ClaudeCodeError {
  const message = `The team speaks version ${theirs} of the protocol, this client version ${TEAM_PROTOCOL_VERSION}.`;
  return errorOf("invalid_request", message, {
    hint: "Use a client of the same version as the team.",
    data: { team: theirs, client: TEAM_PROTOCOL_VERSION },
  });
}
