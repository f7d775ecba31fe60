import type { ConnectToTeam } from "agent-switchboard/team/core";
import type { Connect } from "agent-switchboard/client/core";
import { webConnect } from "agent-switchboard/client/core";

/** The page talks to its own origin only. */
const urlOf = (path: string): string =>
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

export const connectToTeam = (key: string): ConnectToTeam =>
  webConnect({ url: urlOf("/ws/team"), key });

/** To the session of one agent; without a name, to the one session that the gateway serves. */
export const connectToSession = (key: string, agent: string | undefined): Connect =>
  webConnect({
    url: urlOf(agent === undefined ? "/ws/session" : `/ws/agents/${encodeURIComponent(agent)}`),
    key,
  });
