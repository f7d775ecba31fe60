import { isDecidedByPolicy } from "../client/core.ts";
import type { TeamClient, TeamClientOptions, TeamItem } from "../team/core.ts";
import { untilAborted } from "../time/abortable-waits.ts";
import { USER } from "../wire/team/reserved-senders.ts";
import type { TeamEvent } from "../wire/team/events.ts";
import type { NewsFact, Place } from "./ledger.ts";
import type { News, Origin } from "./news.ts";
import { callId, newsOfCall, newsOfEnd } from "./news.ts";
import type { Heard, Source } from "./source.ts";
import { CatchUp } from "./source.ts";

type OnConnection = NonNullable<TeamClientOptions["onConnection"]>;

/** Opens a client that connects again for ever. */
export type OpenTeam = (onConnection: OnConnection, signal: AbortSignal) => Promise<TeamClient>;

/** What people are told of a team: what its agents ask, and how the tasks that they gave it ended. */
export class TeamSource implements Source {
  readonly #open: OpenTeam;

  constructor(open: OpenTeam) {
    this.#open = open;
  }

  async read(
    after: Place | undefined,
    hear: (heard: Heard) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const catchUp = new CatchUp((isLive) => hear({ type: "live", isLive }));
    let target = 0;
    const team = await this.#open((state) => {
      if (state.state !== "connected") return catchUp.lost();
      target = state.init.last_seq;
      catchUp.connected(target);
    }, signal);
    try {
      const { team: name, log_id, last_seq } = team.init;
      const origin = { where: name, key: `team ${name}` };
      let logId = log_id;
      const listen = (item: TeamItem): void => {
        if (item.type === "reset") {
          logId = item.logId;
          hear({ type: "began", place: { log_id: logId, seq: 0 }, open: [] });
          return;
        }
        if (!("seq" in item)) return;
        const place = { log_id: logId, seq: item.seq };
        hear({ type: "happened", place, fact: factOf(origin, item) });
        catchUp.at(item.seq);
      };
      if (after === undefined) {
        const open = await openCalls(team, origin);
        hear({ type: "began", place: { log_id, seq: last_seq }, open });
        catchUp.at(last_seq);
        await team.follow({ since: last_seq, logId: log_id }, listen);
      } else {
        catchUp.at(after.seq);
        await team.follow({ since: after.seq, logId: after.log_id }, listen);
      }
      const problem = await Promise.race([team.closed, untilAborted(signal)]);
      if (problem) throw problem;
    } finally {
      catchUp.close();
      await team.close();
    }
  }
}

async function openCalls(team: TeamClient, origin: Origin): Promise<News[]> {
  const { approvals } = await team.request("approvals", {});
  const at = team.init.at ?? new Date().toISOString();
  return approvals.flatMap(({ agent, request }) =>
    isDecidedByPolicy(request) ? [] : [newsOfCall(origin, agent, request, at)],
  );
}

/** What an event of a team means to the person; undefined for most. */
export function factOf(origin: Origin, event: TeamEvent): NewsFact | undefined {
  switch (event.type) {
    case "approval_requested": {
      const { agent, request, at } = event;
      if (isDecidedByPolicy(request)) return undefined;
      const replaced = "replaces" in request ? request.replaces : undefined;
      const news = newsOfCall(origin, agent, request, at);
      const replaces = replaced === undefined ? undefined : callId(origin, agent, replaced);
      return { kind: "asked", news, replaces };
    }
    case "approval_resolved":
      return { kind: "decided", id: callId(origin, event.agent, event.request_id) };
    case "answered": {
      const { id, agent, text, failed, at } = event;
      const end = { id, agent, isGood: !failed, text, at, taskId: id };
      return { kind: "ended", news: newsOfEnd(origin, end) };
    }
    case "task_changed": {
      const { id, from_agent, to_agent, state, title, outcome } = event.task;
      // One that was answered is told with its answer; one that a person took back they know of.
      if (from_agent !== USER || state !== "timed_out") return undefined;
      const text = outcome === null ? title : `${title}\n${outcome}`;
      const end = { id, agent: to_agent, isGood: false, text, at: event.at, taskId: id };
      return { kind: "ended", news: newsOfEnd(origin, end) };
    }
    default:
      return undefined;
  }
}
