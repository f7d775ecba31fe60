import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { GatewayControl } from "../../gateway/control/gateway-control.ts";
import type { GatewayOptions } from "../../gateway/run-gateway.ts";
import { userStateDirectory } from "../../session/stored-sessions.ts";
import { controlSocket } from "../../team/find-and-connect.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamPlace } from "../team/find-team.ts";
import { connectOrFind } from "../team/find-team.ts";
import { webDirectory } from "./kept-gateway.ts";

/** What a person wants to see in a browser: a team, or the session of a socket. */
export interface WebPlace extends TeamPlace {
  readonly observeSocket?: string;
}

type GatewayPlace = Pick<GatewayOptions, "target" | "stateDir">;

/** @throws as `connectOrFind`. */
export async function placeOf(socket: string | undefined, place: WebPlace): Promise<GatewayPlace> {
  if (socket === undefined) {
    const { team, known } = await connectOrFind(place);
    await team?.close();
    const target = { kind: "team", socket: controlSocket(known.stateDir) } as const;
    return { target, stateDir: webDirectory(known.stateDir) };
  }
  const path = resolve(socket);
  const { observeSocket } = place;
  const observed = observeSocket === undefined ? undefined : resolve(observeSocket);
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return {
    target: { kind: "session", socket: path, observeSocket: observed },
    stateDir: join(userStateDirectory(), "web", name),
  };
}

/** The gateway that serves it now. @throws as `placeOf`; `connection_failed` when there is none. */
export async function runningGateway(
  socket: string | undefined,
  place: WebPlace,
): Promise<GatewayControl> {
  const { stateDir, target } = await placeOf(socket, place);
  const gateway = await GatewayControl.open(stateDir);
  if (gateway) return gateway;
  const what = target.kind === "team" ? "The team" : "The session";
  throw errorOf("connection_failed", `${what} has no page now: no gateway serves it.`, {
    hint: "Start one with 'switchboard web'.",
  });
}
