import { Buffer } from "node:buffer";
import { filteredPage } from "../../bus/read-filtered-page.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { RecordQuery, Records, StoredRecord, Write } from "../../bus/records.ts";
import type { CommunicationLog, CommunicationLogLevel } from "../../wire/team/communication-log.ts";
import {
  CommunicationLogLevelSchema,
  CommunicationLogSchema,
} from "../../wire/team/communication-log.ts";
import type { CommunicationEntry, CommunicationPage } from "../../wire/team/method-results.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { AgentId, CCMessage, MessageType } from "../../wire/team/messages.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";

const LOG = "communication";
const levels: readonly CommunicationLogLevel[] = ["DEBUG", "INFO", "WARN", "ERROR"];
/** The field that an entry has for each level at which it is shown; DEBUG shows all. So one query finds them in order. */
const SHOWN = "yes";
const READ = 1000;
/** What people would skip: signs of life, and progress reports. */
const chatter: ReadonlySet<MessageType> = new Set(["ping", "pong", "progress"]);
/** Failures that pass by themselves. */
const passing: ReadonlySet<string> = new Set(["rate_limited", "timeout", "aborted"]);

export interface CommunicationQuery {
  /** This level and those above it; INFO by default. */
  readonly level?: CommunicationLogLevel;
  readonly from?: AgentId;
  readonly to?: AgentId;
  readonly type?: MessageType;
  /** Written down at this time or later, in milliseconds since 1970. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export interface CommunicationPageQuery extends CommunicationQuery {
  readonly limit?: number;
  /** Only older entries: what the previous page returned as `before`. */
  readonly before?: string;
  /** Only entries that pass. By default all do. */
  readonly passes?: (entry: CommunicationEntry) => boolean | Promise<boolean>;
}

/** What `approval_resolved` says of such a call. */
interface ChangedCall {
  readonly by?: string;
  readonly changed: NonNullable<TeamEventOf<"approval_resolved">["changed"]>;
  readonly updated_input: JsonObject;
}

/**
 * One line for each message that was delivered, refused or lost, for each answer that did not come in time,
 * for each call that a person changed, and for each agent that was lost.
 */
export class CommunicationRecord {
  readonly #records: Records;
  readonly #onFailure: (error: unknown) => void;

  constructor(records: Records, onFailure: (error: unknown) => void) {
    this.#records = records;
    this.#onFailure = onFailure;
  }

  delivered(message: CCMessage): void {
    this.#add(this.writeOfDelivery(message));
  }

  failed(message: CCMessage, error: ClaudeCodeError): void {
    this.#add(this.writeOfFailure(message, error));
  }

  /** For a caller that has more to write in the same step. */
  writeOfDelivery(message: CCMessage, atMs: number = Date.now()): Write {
    const durationMs = Math.max(0, atMs - Date.parse(message.timestamp));
    return toWrite(levelOf(message.type), entryOf(message, durationMs, null));
  }

  writeOfFailure(message: CCMessage, error: ClaudeCodeError): Write {
    const level = passing.has(error.code) ? "WARN" : "ERROR";
    return toWrite(level, entryOf(message, null, `${error.code}: ${error.message}`));
  }

  /** A person changed a call and allowed it: the agent does something else than it asked for. */
  writeOfChange(agent: AgentId, { by = USER, changed, updated_input }: ChangedCall): Write {
    const { tool, asked, ran } = changed;
    return toWrite("INFO", {
      timestamp: new Date().toISOString(),
      from_agent: USER,
      to_agent: agent,
      message_type: "info",
      message_size: Buffer.byteLength(JSON.stringify(updated_input)),
      duration_ms: null,
      success: true,
      error: null,
      note: `allowed by ${by}: ${tool} ${ran} (changed; asked: ${asked})`,
    });
  }

  /** An agent's process was lost: it is started again, or given up. */
  lost(agent: AgentId, state: "restarting" | "quarantined", why: string): void {
    const entry: CommunicationLog = {
      timestamp: new Date().toISOString(),
      from_agent: agent,
      to_agent: SWITCHBOARD,
      message_type: "error",
      message_size: 0,
      duration_ms: null,
      success: false,
      error: `${state}: ${why}`,
    };
    this.#add(toWrite(state === "restarting" ? "WARN" : "ERROR", entry));
  }

  async query(query: CommunicationPageQuery = {}): Promise<CommunicationPage> {
    const { limit = 200, before, passes = () => true } = query;
    const { items: entries, cursor } = await filteredPage({
      read: (from) => this.#records.query({ ...recordQuery(query), order: "newest", ...from }),
      keep: async (row) => {
        const entry = toEntry(row);
        return (await passes(entry)) ? entry : undefined;
      },
      limit,
      cursor: before,
    });
    return { entries, ...(cursor !== undefined && { before: cursor }) };
  }

  /** All entries, oldest first, each with the time at which it was written down. */
  async *read(
    query: CommunicationQuery,
  ): AsyncGenerator<{ readonly atMs: number; readonly entry: CommunicationEntry }> {
    const pages = pagesOf((from) =>
      this.#records.query({ ...recordQuery(query), order: "oldest", limit: READ, ...from }),
    );
    for await (const rows of pages) {
      for (const row of rows) yield { atMs: row.at, entry: toEntry(row) };
    }
  }

  #add(write: Write): void {
    this.#records.write([write]).catch(this.#onFailure);
  }
}

const recordQuery = ({
  level = "INFO",
  from,
  to,
  type,
  sinceMs,
  untilMs,
}: CommunicationQuery): RecordQuery => ({
  collection: LOG,
  where: {
    ...(level !== "DEBUG" && { [level]: SHOWN }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(type !== undefined && { type }),
  },
  ...(sinceMs !== undefined && { since: sinceMs }),
  ...(untilMs !== undefined && { until: untilMs }),
});

const toEntry = ({ key, value }: StoredRecord): CommunicationEntry => ({
  ...CommunicationLogSchema.parse(value),
  id: key,
  level: CommunicationLogLevelSchema.parse(value["level"]),
});

function levelOf(type: MessageType): CommunicationLogLevel {
  // It has arrived, but a person who looks for problems wants to see it.
  if (type === "task_failed") return "WARN";
  return chatter.has(type) ? "DEBUG" : "INFO";
}

function toWrite(level: CommunicationLogLevel, entry: CommunicationLog): Write {
  const { from_agent: from, to_agent: to, message_type: type } = entry;
  const shownAt = levels.slice(1, levels.indexOf(level) + 1).map((each) => [each, SHOWN]);
  return {
    kind: "append",
    collection: LOG,
    value: { ...entry, level } as JsonObject,
    fields: { ...(Object.fromEntries(shownAt) as Record<string, string>), from, to, type },
  };
}

function entryOf(
  message: CCMessage,
  durationMs: number | null,
  error: string | null,
): CommunicationLog {
  return {
    message_id: message.id,
    timestamp: message.timestamp,
    from_agent: message.from_agent,
    to_agent: message.to_agent,
    message_type: message.type,
    message_size: Buffer.byteLength(message.content) + Buffer.byteLength(message.thinking ?? ""),
    duration_ms: durationMs,
    success: error === null,
    error,
  };
}
