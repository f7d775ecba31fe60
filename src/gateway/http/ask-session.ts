import type { WireError } from "../../wire/error-schema.ts";
import { fromWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { gatewayCloseCodes } from "../../wire/gateway.ts";
import type { SessionAnswer, SessionAnswerOf } from "../../wire/session/answers.ts";
import type { SessionCommandInput } from "../../wire/session/commands.ts";
import { LineClient } from "../relay/line-client.ts";
import type { Upstream, Wanted } from "../relay/find-upstream.ts";
import { findUpstream, wantedIn } from "../relay/find-upstream.ts";
import type { Pass } from "../sign-in/pass.ts";
import type { GatewayParts } from "./gateway-context.ts";

/** A connection to the session that a path names: an agent, or `session` when the gateway serves one. */
export async function openLineClient(
  name: string,
  pass: Pass,
  { target }: GatewayParts,
): Promise<LineClient> {
  const wanted: Wanted | undefined =
    target.kind === "session" && name === "session"
      ? { kind: "session" }
      : wantedIn(`/ws/agents/${name}`);
  if (!wanted) throw errorOf("agent_not_found", "There is no such agent.");
  const upstream = await findUpstream(target, wanted, pass.role);
  if (!upstream.ok) throw errorOfUpstream(upstream);
  return LineClient.open(upstream.path);
}

/** @throws the session's error; `timeout`; `connection_lost`. */
export async function askSession<Type extends SessionAnswer["type"]>(
  client: LineClient,
  command: SessionCommandInput,
  type: Type,
): Promise<SessionAnswerOf<Type>> {
  const ref = "gateway";
  const line = await client.ask({ ...command, ref }, (each) => each["ref"] === ref);
  if (line["type"] === "error") throw fromWire(line as unknown as WireError);
  // The session's process is trusted to keep to its schemas; what is new in an event is passed on.
  if (line["type"] === type) return line as unknown as SessionAnswerOf<Type>;
  throw errorOf("internal", `The session answered ${command.type} with something else.`);
}

export function errorOfUpstream({ code, reason }: Upstream & { ok: false }): ClaudeCodeError {
  if (code === gatewayCloseCodes.noSuchAgent) return errorOf("agent_not_found", reason);
  if (code === gatewayCloseCodes.notForViewers) return errorOf("read_only", reason);
  if (code === gatewayCloseCodes.asleep)
    return errorOf("agent_unavailable", `The agent is ${reason}, so it has no session now.`);
  return errorOf("connection_failed", reason);
}
