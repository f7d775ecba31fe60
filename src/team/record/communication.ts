import { Buffer } from "node:buffer";
import type { Records, Write } from "../../bus/records.ts";
import type { CommunicationLog, CommunicationLogLevel } from "../../wire/communication-log.ts";
import { CommunicationLogSchema } from "../../wire/communication-log.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { AgentId, CCMessage, MessageType } from "../../wire/team.ts";

const LOG = "communication";
const levels: readonly CommunicationLogLevel[] = ["DEBUG", "INFO", "WARN", "ERROR"];
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
}

export type CommunicationEntry = CommunicationLog & {
  readonly id: string;
  readonly level: CommunicationLogLevel;
};

/** One line for each message that was delivered, refused or lost. */
export class CommunicationRecord {
  readonly #records: Records;
  readonly #onFailure: (error: unknown) => void;

  constructor(records: Records, onFailure: (error: unknown) => void) {
    this.#records = records;
    this.#onFailure = onFailure;
  }

  delivered(message: CCMessage): void {
    const durationMs = Math.max(0, Date.now() - Date.parse(message.timestamp));
    const level = chatter.has(message.type) ? "DEBUG" : "INFO";
    this.#add(level, entryOf(message, durationMs, null));
  }

  failed(message: CCMessage, error: ClaudeCodeError): void {
    const level = passing.has(error.code) ? "WARN" : "ERROR";
    this.#add(level, entryOf(message, null, `${error.code}: ${error.message}`));
  }

  /** The newest first. */
  async query(query: CommunicationQuery = {}): Promise<CommunicationEntry[]> {
    const { level = "INFO", from, to, type, limit = 200 } = query;
    const where = {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(type !== undefined && { type }),
    };
    const wanted = levels.slice(levels.indexOf(level));
    const pages = await Promise.all(
      wanted.map((each) =>
        this.#records.query({
          collection: LOG,
          where: { ...where, level: each },
          order: "newest",
          limit,
        }),
      ),
    );
    return pages
      .flatMap(({ items }, index) =>
        items.map(({ key, value }) => ({
          ...CommunicationLogSchema.parse(value),
          id: key,
          level: wanted[index] ?? "INFO",
        })),
      )
      .sort((one, other) => other.timestamp.localeCompare(one.timestamp))
      .slice(0, limit);
  }

  #add(level: CommunicationLogLevel, value: CommunicationLog): void {
    const { from_agent: from, to_agent: to, message_type: type } = value;
    const write: Write = {
      kind: "append",
      collection: LOG,
      value,
      fields: { level, from, to, type },
    };
    this.#records.write([write]).catch(this.#onFailure);
  }
}

function entryOf(
  message: CCMessage,
  durationMs: number | null,
  error: string | null,
): CommunicationLog {
  return {
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

const columns = [
  "timestamp",
  "level",
  "from_agent",
  "to_agent",
  "message_type",
  "message_size",
  "duration_ms",
  "success",
  "error",
] as const satisfies readonly (keyof CommunicationEntry)[];

/** As a spreadsheet reads it: RFC 4180, with a line of names. */
export function toCsv(entries: readonly CommunicationEntry[], { withHead = true } = {}): string {
  const lines = entries.map((entry) => columns.map((column) => cell(entry[column])).join(","));
  return [...(withHead ? [columns.join(",")] : []), ...lines, ""].join("\r\n");
}

function cell(value: string | number | boolean | null): string {
  const text = value === null ? "" : String(value);
  // A text that a spreadsheet would take for a formula is kept from running.
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
