import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { errorOf } from "../../wire/errors.ts";
import type { EntryDraft, Entry } from "../changelog/entry.ts";
import type {
  EntryStream,
  Expectation,
  LookOutcome,
  PublishOutcome,
} from "../changelog/entry-stream.ts";
import { entryOf, headersOf } from "./entry-headers.ts";
import type { JetStreamParts } from "./jetstream-parts.ts";
import { readEntries } from "./read-entries.ts";
import { subjectsOf } from "./stream-config.ts";

/** Room for the headers of an entry. */
const HEADER_BYTES = 4_096;
const MAX_DATA_BYTES = 900_000;
/**
 * By these codes the server says that it will not store the entry: the stream or the server's store is full, or the
 * entry is too large. Every other error leaves it open.
 */
const refusals: ReadonlySet<number> = new Set([10_023, 10_047, 10_053, 10_054, 10_077]);

/** A team's changelog in one JetStream stream. */
export class JetStreamEntries implements EntryStream {
  readonly logId: string;
  readonly maxDataBytes: number;
  readonly #parts: JetStreamParts;

  constructor(parts: JetStreamParts) {
    this.#parts = parts;
    this.logId = parts.logId;
    const { max_payload = MAX_DATA_BYTES } = parts.connection.info ?? {};
    this.maxDataBytes = Math.min(MAX_DATA_BYTES, max_payload - HEADER_BYTES);
  }

  async publish(draft: EntryDraft, expectation: Expectation): Promise<PublishOutcome> {
    const { client, team, ackMs, stream } = this.#parts;
    const subject = subjectsOf(team)[draft.kind];
    const expect =
      "lastSeq" in expectation
        ? { lastSequence: expectation.lastSeq }
        : { lastSubjectSequence: expectation.lastOfficeSeq };
    try {
      // Without a message id: together with an expected sequence, servers answer a repeat in different ways.
      const headers = headersOf(draft);
      const options = { headers, expect, timeout: ackMs, retries: 1 };
      const ack = await client.publish(subject, draft.data, options);
      if (ack.stream === stream) return { kind: "written", seq: ack.seq };
      return { kind: "unclear", why: `the stream ${ack.stream} has answered` };
    } catch (error) {
      const why = describe(error);
      const isRefusal = error instanceof JetStreamApiError && refusals.has(error.code);
      return isRefusal ? { kind: "refused", why } : { kind: "unclear", why };
    }
  }

  look(seq: number): Promise<LookOutcome> {
    return this.#look({ seq });
  }

  newestOffice(): Promise<LookOutcome> {
    return this.#look({ last_by_subj: subjectsOf(this.#parts.team).office });
  }

  async approximateEnd(): Promise<number> {
    try {
      const { state } = await this.#parts.manager.streams.info(this.#parts.stream);
      return state.last_seq;
    } catch (error) {
      throw errorOf("bus_unavailable", `The log did not answer: ${describe(error)}.`);
    }
  }

  read(after: number, upTo: number): AsyncIterable<Entry> {
    return readEntries(this.#parts, after, upTo);
  }

  close(): Promise<void> {
    return this.#parts.connection.close();
  }

  /** From the stream's leader, never a direct get: what it returns is committed. */
  async #look(query: { seq: number } | { last_by_subj: string }): Promise<LookOutcome> {
    try {
      const found = await this.#parts.manager.streams.getMessage(this.#parts.stream, query);
      if (!found) return { kind: "nothing" };
      return { kind: "found", entry: entryOf(found.seq, found.header, found.data) };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.NoMessageFound) {
        return { kind: "nothing" };
      }
      return { kind: "failed", why: describe(error) };
    }
  }
}

export const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
