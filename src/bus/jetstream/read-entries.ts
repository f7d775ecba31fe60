import type { ConsumerMessages } from "@nats-io/jetstream";
import { errorOf } from "../../wire/errors.ts";
import type { Entry } from "../changelog/entry.ts";
import { entryOf } from "./entry-headers.ts";
import type { JetStreamParts } from "./jetstream-parts.ts";

/** A larger pull than a server may have on its way to one client hangs, without an error. */
const PULL_BYTES = 8_388_608;
/** Without an entry for so long, a new consumer reads on. */
const SILENCE_MS = 5_000;
const MAX_SILENT_CONSUMERS = 6;

/**
 * The entries from `after + 1` to `upTo`, through one consumer after the other if need be. Fails with `bus_unavailable`
 * when none of them brings anything, or `bus_invalid` when an entry is missing.
 */
export async function* readEntries(
  parts: JetStreamParts,
  after: number,
  upTo: number,
): AsyncGenerator<Entry, void> {
  let last = after;
  let silent = 0;
  while (last < upTo) {
    const before = last;
    for await (const entry of readOnce(parts, last, upTo)) {
      if (entry.seq <= last) continue;
      if (entry.seq !== last + 1) {
        throw errorOf(
          "bus_invalid",
          `Entry ${last + 1} is missing from the stream ${parts.stream}.`,
        );
      }
      last = entry.seq;
      yield entry;
    }
    silent = last === before ? silent + 1 : 0;
    if (silent === MAX_SILENT_CONSUMERS) {
      throw errorOf("bus_unavailable", `The log gives no entry behind ${last}.`);
    }
  }
}

async function* readOnce(
  { client, stream }: JetStreamParts,
  after: number,
  upTo: number,
): AsyncGenerator<Entry, void> {
  let messages: ConsumerMessages | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const consumer = await client.consumers.get(stream, { opt_start_seq: after + 1 });
    messages = await consumer.consume({ max_bytes: PULL_BYTES });
    const opened = messages;
    timer = setTimeout(() => opened.stop(), SILENCE_MS);
    for await (const message of messages) {
      timer.refresh();
      yield entryOf(message.seq, message.headers, message.data);
      if (message.seq >= upTo) return;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "bus_invalid") throw error;
    // The next consumer reads on.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  } finally {
    clearTimeout(timer);
    await messages?.close().catch(() => undefined);
  }
}

const PAUSE_MS = 250;
