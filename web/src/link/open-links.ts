import type { ConnectToTeam } from "agent-switchboard/team/core";
import type { Connect } from "agent-switchboard/client/core";
import type { Pulse } from "./pulse.ts";

/** The page talks to its own origin only. */
const urlOf = (path: string): string =>
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

export const connectToTeam = (key: string, pulse: Pulse): ConnectToTeam =>
  pulse.connect(urlOf("/ws/team"), key);

/** To the session of one agent; without a name, to the one session that the gateway serves. */
export const connectToSession = (key: string, agent: string | undefined, pulse: Pulse): Connect =>
  pulse.connect(
    urlOf(agent === undefined ? "/ws/session" : `/ws/agents/${encodeURIComponent(agent)}`),
    key,
  );
