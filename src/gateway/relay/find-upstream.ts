import type * as z from "zod";
import type { GatewayRole } from "../../wire/gateway.ts";
import { gatewayCloseCodes } from "../../wire/gateway.ts";
import { TeamStatusSchema } from "../../wire/team/control-methods.ts";
import { AgentIdSchema } from "../../wire/team/messages.ts";
import { LineClient } from "./line-client.ts";

/** What a gateway is in front of: the control socket of a team, or the sockets of one session. */
export type GatewayTarget =
  | { readonly kind: "team"; readonly socket: string }
  | {
      readonly kind: "session";
      readonly socket: string;
      readonly observeSocket?: string | undefined;
    };

/** What a browser asks for. */
export type Wanted =
  | { readonly kind: "team" }
  | { readonly kind: "session" }
  | { readonly kind: "agent"; readonly id: string };

/** The Unix socket for it, or the code and reason with which the WebSocket is closed. */
export type Upstream =
  | { readonly ok: true; readonly path: string; readonly takesName: boolean }
  | { readonly ok: false; readonly code: number; readonly reason: string };

/** What we read of the first line of a team. */
const TeamSocketsSchema = TeamStatusSchema.pick({ observe_socket: true, agents: true });
type TeamSockets = z.infer<typeof TeamSocketsSchema>;

const asleep: ReadonlySet<string> = new Set(["hibernated", "quarantined", "stopped"]);

/** Reads the path of a WebSocket. Undefined when it is none of ours. */
export function wantedIn(url: string): Wanted | undefined {
  if (url === "/ws/team") return { kind: "team" };
  if (url === "/ws/session") return { kind: "session" };
  const id = AgentIdSchema.safeParse(/^\/ws\/agents\/([\w-]+)$/.exec(url)?.[1]);
  return id.success ? { kind: "agent", id: id.data } : undefined;
}

/**
 * Finds the socket for a role. Paths come only from the options and from the team, never from a browser; a viewer gets
 * only sockets that are for reading.
 */
export async function findUpstream(
  target: GatewayTarget,
  wanted: Wanted,
  role: GatewayRole,
): Promise<Upstream> {
  if (target.kind === "session") return sessionSocket(target, wanted, role);
  if (wanted.kind === "session") return no("noSuchAgent", "This gateway serves a team.");
  if (wanted.kind === "team" && role === "owner") return at(target.socket, true);
  const sockets = await socketsOf(target.socket);
  if (!sockets) return no("upstreamGone", "The team does not answer.");
  if (wanted.kind === "agent") return agentSocket(sockets, wanted.id, role);
  return sockets.observe_socket === undefined
    ? no("notForViewers", "This team has no socket for viewers.")
    : at(sockets.observe_socket, true);
}

function sessionSocket(
  { socket, observeSocket }: GatewayTarget & { kind: "session" },
  wanted: Wanted,
  role: GatewayRole,
): Upstream {
  if (wanted.kind !== "session") return no("noSuchAgent", "This gateway serves one session.");
  if (role === "owner") return at(socket);
  return observeSocket === undefined
    ? no("notForViewers", "This session has no socket for viewers.")
    : at(observeSocket);
}

/** People talk to the lead alone; the others they watch, as 'switchboard attach' does. */
function agentSocket({ agents }: TeamSockets, id: string, role: GatewayRole): Upstream {
  const agent = agents.find((each) => each.id === id);
  if (!agent) return no("noSuchAgent", "There is no such agent.");
  if (asleep.has(agent.state)) return no("asleep", agent.state);
  const path = agent.lead && role === "owner" ? agent.socket : agent.observe_socket;
  return path === undefined ? no("upstreamGone", "The agent has no socket here.") : at(path);
}

async function socketsOf(socket: string): Promise<TeamSockets | undefined> {
  try {
    await using client = await LineClient.open(socket);
    return TeamSocketsSchema.parse(client.first);
  } catch {
    return undefined;
  }
}

const at = (path: string, takesName = false): Upstream => ({ ok: true, path, takesName });

const no = (why: keyof typeof gatewayCloseCodes, reason: string): Upstream => ({
  ok: false,
  code: gatewayCloseCodes[why],
  reason,
});
