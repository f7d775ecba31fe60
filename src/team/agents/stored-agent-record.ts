import type { Records, Write } from "../../bus/records.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { RunMark } from "../host/agent-host.ts";
import type { ChosenSettings } from "./settings-chosen-by-person.ts";

const AGENTS = "agents";

/** What one process of the team stores about an agent for the next one. */
export interface AgentNote {
  /** The mark of its last run. */
  run?: RunMark;
  /** The CLI's session, to be resumed. */
  session_id?: string;
  /** The session's log, and the event up to which everything is settled. */
  log_id?: string;
  epoch?: number;
  since?: number;
  /** The team's last event before this log was first read: events of this agent up to it belong to another log. */
  met_at?: number;
  /** The agent has stated its role, as it was asked to. */
  confirmed?: boolean;
  hibernated?: boolean;
  /** Why its conversation is a new one; null once the agent knows what it was working on. */
  forgot?: string | null;
  /** What a person has set for its session. */
  chosen?: ChosenSettings;
  /** Why a person stopped it, in words; null when nobody did. */
  stopped?: string | null;
  /** Since when it hibernates or is stopped. */
  resting_since?: string;
  /** The team file no longer names it. */
  left?: boolean;
}

export class AgentRecord {
  readonly #records: Records;
  readonly id: AgentId;
  #note: AgentNote = {};

  constructor(records: Records, id: AgentId) {
    this.#records = records;
    this.id = id;
  }

  get note(): AgentNote {
    return this.#note;
  }

  /** Of its last run. */
  get mark(): RunMark {
    return this.#note.run ?? {};
  }

  async load(): Promise<void> {
    const row = await this.#records.get(AGENTS, this.id);
    this.#note = row ? noteOf(row.value) : {};
  }

  async save(changes: AgentNote): Promise<void> {
    await this.#records.write([this.change(changes)]);
  }

  /** Changes the note at once, and returns the write, which the caller makes together with others. */
  change(changes: AgentNote): Write {
    this.#note = { ...this.#note, ...changes };
    return { kind: "put", collection: AGENTS, key: this.id, value: this.#note as JsonObject };
  }

  /** Whether there is a session that can be resumed. */
  get hasConversation(): boolean {
    return this.#note.session_id !== undefined;
  }
}

/** Earlier versions kept the mark of a run in the note itself. */
function noteOf({ process, policy, ...note }: JsonObject): AgentNote {
  const found = Object.entries({ process, policy }).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return found.length > 0 ? { run: Object.fromEntries(found), ...note } : note;
}

/** All agents that the team ever had. */
export async function namesOfAgents(records: Records): Promise<AgentId[]> {
  const names: AgentId[] = [];
  for await (const rows of pagesOf((from) => records.query({ collection: AGENTS, ...from }))) {
    names.push(...rows.map(({ key }) => key));
  }
  return names;
}
