import { Buffer } from "node:buffer";
import type { Records, Write } from "../../bus/records.ts";
import type { CommunicationLog, CommunicationLogLevel } from "../../wire/team/communication-log.ts";
import {
  CommunicationLogLevelSchema,
  CommunicationLogSchema,
} from "../../wire/team/communication-log.ts";
import type { CommunicationPage } from "../../wire/team/results.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { AgentId, CCMessage, MessageType } from "../../wire/team/messages.ts";
import { SWITCHBOARD } from "../../wire/team/senders.ts";

const LOG = "communication";
const levels: readonly CommunicationLogLevel[] = ["DEBUG", "INFO", "WARN", "ERROR"];
/** The field of a level that an entry has when it is shown there; at DEBUG all are. One query finds them in order. */
const SHOWN = "yes";
/** What people would skip: signs of life, and reports on the way. */
const chatter: ReadonlySet<MessageType> = new Set(["ping", "pong", "progress"]);
/** Failures that pass by themselves. */
const passing: ReadonlySet<string> = new Set(["rate_limited", "timeout", "aborted"]);

export interface CommunicationQuery {
  /** This level and those above it; INFO unless told. */
  readonly level?: CommunicationLogLevel;
  readonly from?: AgentId;
  readonly to?: AgentId;
  readonly type?: MessageType;
  readonly limit?: number;
  /** Older than a page before; what that page gave as `before`. */
  readonly before?: string;
}

/**
 * One line for each message that was delivered, refused or lost, for each answer that did not come in time,
 * and for each agent that was lost.
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

  /** For whoever has more to write in the same step. */
  writeOfDelivery(message: CCMessage, atMs: number = Date.now()): Write {
    const durationMs = Math.max(0, atMs - Date.parse(message.timestamp));
    return toWrite(levelOf(message.type), entryOf(message, durationMs, null));
  }

  writeOfFailure(message: CCMessage, error: ClaudeCodeError): Write {
    const level = passing.has(error.code) ? "WARN" : "ERROR";
    return toWrite(level, entryOf(message, null, `${error.code}: ${error.message}`));
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

  async query(query: CommunicationQuery = {}): Promise<CommunicationPage> {
    const { level = "INFO", from, to, type, limit = 200, before } = query;
    const { items, cursor } = await this.#records.query({
      collection: LOG,
      where: {
        ...(level !== "DEBUG" && { [level]: SHOWN }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(type !== undefined && { type }),
      },
      order: "newest",
      limit,
      ...(before !== undefined && { cursor: before }),
    });
    const entries = items.map(({ key, value }) => ({
      ...CommunicationLogSchema.parse(value),
      id: key,
      level: CommunicationLogLevelSchema.parse(value["level"]),
    }));
    return { entries, ...(cursor !== undefined && { before: cursor }) };
  }

  #add(write: Write): void {
    this.#records.write([write]).catch(this.#onFailure);
  }
}

function levelOf(type: MessageType): CommunicationLogLevel {
  // It has arrived; but a person who looks for problems wants it.
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
