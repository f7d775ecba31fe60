import type { SessionClient } from "agent-switchboard/client/core";
import type { TeamClient } from "agent-switchboard/team/core";
import { readBlob } from "agent-switchboard/team/core";
import type { SessionEvent } from "agent-switchboard/wire";

export interface PageAsked {
  readonly before?: number;
  readonly limit?: number;
}

export interface HistoryPage {
  readonly events: SessionEvent[];
  readonly more: boolean;
  /** Told by a team alone: an agent that comes back goes on with its log. */
  readonly log_id?: string;
}

/** Where older events and large payloads come from: the session itself, or the team for an agent without a process. */
export interface TalkSource {
  readonly history: (page: PageAsked) => Promise<HistoryPage>;
  readonly blob: (blob: string) => Promise<Uint8Array>;
}

export const sourceOfSession = (client: SessionClient): TalkSource => ({
  history: (page) => client.history({ ...page, whole: true }),
  blob: (blob) => client.blob(blob),
});

export const sourceOfTeam = (client: TeamClient, agent: string): TalkSource => ({
  history: (page) => client.request("agent_history", { agent, ...page, whole: true }),
  blob: (blob) => readBlob(client, agent, blob),
});
