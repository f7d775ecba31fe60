import { isErrorCode } from "../../wire/error-table.ts";
import { errorOf } from "../../wire/errors.ts";
import { isRecord } from "../../wire/json.ts";
import type { TeamMethod } from "../../wire/team/control-methods.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import type { GatewayParts } from "../http/gateway-context.ts";
import { errorOfUpstream } from "../http/ask-session.ts";
import { findUpstream } from "../relay/find-upstream.ts";
import { LineClient } from "../relay/line-client.ts";
import type { Pass } from "../sign-in/pass.ts";

/** A talk with the team: over the socket that is for the role. */
export interface TeamTalk extends AsyncDisposable {
  /** @throws the team's error; `timeout`; `connection_lost`. */
  request<Method extends TeamMethod>(method: Method, params: object): Promise<TeamResults[Method]>;
}

/** @throws `agent_not_found` when the gateway serves no team; `connection_failed`. */
export async function openTeam({ role }: Pass, { target }: GatewayParts): Promise<TeamTalk> {
  if (target.kind === "session") throw errorOf("agent_not_found", "This gateway serves no team.");
  const upstream = await findUpstream(target, { kind: "team" }, role);
  if (!upstream.ok) throw errorOfUpstream(upstream);
  const client = await LineClient.open(upstream.path);
  return {
    request: (method, params) => ask(client, method, params),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function ask<Method extends TeamMethod>(
  client: LineClient,
  method: Method,
  params: object,
): Promise<TeamResults[Method]> {
  const id = "gateway";
  const line = await client.ask(
    { jsonrpc: "2.0", id, method, params },
    (each) => each["id"] === id,
  );
  const { result, error } = line;
  // The team's process is trusted to keep to its schemas.
  if (isRecord(result)) return result as unknown as TeamResults[Method];
  const data = isRecord(error) && isRecord(error["data"]) ? error["data"] : {};
  const code =
    typeof data["code"] === "string" && isErrorCode(data["code"]) ? data["code"] : "internal";
  const message = isRecord(error) && typeof error["message"] === "string" ? error["message"] : "";
  throw errorOf(code, message || `The team answered ${method} with something else.`);
}
