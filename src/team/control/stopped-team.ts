import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSqliteCopy } from "../../bus/sqlite/open-copy.ts";
import type { LogCursor } from "../../stream/log-cursor.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamMethod, TeamParamsInput } from "../../wire/team/control-methods.ts";
import { parseTeamParams } from "../../wire/team/control-methods.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { AgentRecord } from "../agents/stored-agent-record.ts";
import type { AgentLeftovers } from "../host/agent-host.ts";
import type { TeamRecords } from "../team-records.ts";
import { openTeamRecords } from "../team-records.ts";
import { storedDescription } from "../record/stored-team-description.ts";
import { accountOf, countsOf, readers } from "./read-records.ts";
import type { ReadSource } from "./read-source.ts";
import type { ReadStatus, TeamItem, TeamReader, TeamRequest } from "../client/team-reader.ts";

type Leftovers = Pick<AgentLeftovers, "describe" | "openLog">;

/** A team without a process. Its records are read from a copy, and nothing is started. */
export class StoppedTeam implements TeamReader {
  readonly init: ReadStatus;
  /** Already settled: no more events will come. */
  readonly closed = Promise.resolve();
  readonly #teamRecords: TeamRecords;
  readonly #source: ReadSource;
  readonly #close: () => Promise<void>;

  private constructor(source: ReadSource, init: ReadStatus, close: () => Promise<void>) {
    this.#teamRecords = source.teamRecords;
    this.#source = source;
    this.init = init;
    this.#close = close;
  }

  /** @throws `team_not_running` when there is no state here; `bus_in_use` when a process has just started. */
  static async open(stateDir: string, leftovers: Leftovers): Promise<StoppedTeam> {
    const file = join(stateDir, "bus.db");
    if (!existsSync(file)) {
      throw errorOf("team_not_running", `No team has ever been running in ${stateDir}.`);
    }
    const copy = await openSqliteCopy(file);
    try {
      const teamRecords = await openTeamRecords(copy.bus, () => {});
      const description = async () => (await storedDescription(copy.bus.records)) ?? unknownFile();
      const source = { teamRecords, logs: leftovers, description };
      return new StoppedTeam(source, await statusOfStopped(teamRecords, leftovers), () =>
        copy.close(),
      );
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async request<Method extends TeamRequest>(
    method: Method,
    params: TeamParamsInput<Method>,
  ): Promise<TeamResults[Method]> {
    return (await this.#read(method, params)) as TeamResults[Method];
  }

  async #read(method: TeamMethod, params: object): Promise<unknown> {
    if (method === "status") return this.init;
    // No agent waits now: what was asked is asked again when the team starts.
    if (method === "approvals") return { approvals: [] };
    const read: unknown = Reflect.get(readers, method);
    const parsed = parseTeamParams(method, params);
    if (!parsed.ok) throw parsed.error;
    if (typeof read !== "function") throw errorOf("team_not_running", "The team is stopped.");
    return (read as (source: ReadSource, given: unknown) => Promise<unknown>)(
      this.#source,
      parsed.value,
    );
  }

  async follow(
    { since, logId }: LogCursor,
    listener: (item: TeamItem) => void,
  ): Promise<{ reset: boolean }> {
    const { timeline } = this.#teamRecords;
    const isForeign = logId !== undefined && logId !== timeline.logId;
    const reset = isForeign || since > timeline.lastSeq;
    for await (const events of timeline.after(reset ? 0 : since)) events.forEach(listener);
    return { reset };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function unknownFile(): never {
  throw errorOf(
    "team_not_running",
    "What the team file says is known when the team has run once.",
    {
      hint: "An older version of switchboard ran this team last. Start it once: switchboard up TEAM.yaml",
    },
  );
}

async function statusOfStopped(
  teamRecords: TeamRecords,
  leftovers: Leftovers,
): Promise<ReadStatus> {
  const { bus, timeline } = teamRecords;
  const started = await timeline.newest("team_started");
  const inboxes = await bus.counts();
  const { team = "", lead = "", agents = [], rehearsal = false } = started ?? {};
  const statusOf = async (id: AgentId) => {
    const record = new AgentRecord(bus.records, id);
    await record.load();
    return {
      id,
      ...leftovers.describe(id, record.mark),
      state: "stopped" as const,
      lead: id === lead,
      inbox: inboxes[id] ?? 0,
      pending: 0,
      ...(await accountOf(teamRecords, id)),
    };
  };
  return {
    team,
    lead,
    rehearsal,
    ...(timeline.openedAfter !== undefined && { last_at: timeline.openedAfter }),
    ...(await countsOf(teamRecords)),
    agents: await Promise.all(agents.map(statusOf)),
  };
}
