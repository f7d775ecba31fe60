import type { Records } from "../../bus/records.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { AgentId } from "../../wire/team.ts";

const AGENTS = "agents";

/** What is kept of an agent from one process of the team to the next. */
export interface AgentNote {
  /** The CLI's session, to be resumed. */
  session_id?: string;
  /** Of the session's log, and the place up to which all is settled. */
  log_id?: string;
  epoch?: number;
  since?: number;
  /** The team's last event before the log was met: what was told of this agent up to it is of another log. */
  met_at?: number;
  /** It has said its role back. */
  confirmed?: boolean;
  /** Its process, for as long as the machine runs. */
  process?: string;
  hibernated?: boolean;
}

export class AgentRecord {
  readonly #records: Records;
  readonly #id: AgentId;
  #note: AgentNote = {};

  constructor(records: Records, id: AgentId) {
    this.#records = records;
    this.#id = id;
  }

  get note(): AgentNote {
    return this.#note;
  }

  async load(): Promise<void> {
    const row = await this.#records.get(AGENTS, this.#id);
    this.#note = row?.value ?? {};
  }

  async save(changes: AgentNote): Promise<void> {
    this.#note = { ...this.#note, ...changes };
    const value = this.#note as JsonObject;
    await this.#records.write([{ kind: "put", collection: AGENTS, key: this.#id, value }]);
  }

  /** The session is gone for good: the next one is a new one. */
  async forget(): Promise<void> {
    this.#note = {};
    await this.#records.write([{ kind: "put", collection: AGENTS, key: this.#id, value: {} }]);
  }
}

/** All that there ever were. */
export async function namesOfAgents(records: Records): Promise<AgentId[]> {
  const names: AgentId[] = [];
  let cursor: string | undefined;
  do {
    const page = await records.query({
      collection: AGENTS,
      ...(cursor !== undefined && { cursor }),
    });
    names.push(...page.items.map(({ key }) => key));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}
