import { createReadStream } from "node:fs";
import { LineSplitter } from "../wire/lines.ts";
import { decode } from "../wire/splitter.ts";
import type { JournalEntry, JournalEvent } from "./journal.ts";
import { foldEvent, maxEventBytes } from "./journal.ts";

/** Reads journal events from a byte stream, such as a journal file or the answer of `/rehearsal/events`. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JournalEvent> {
  const splitter = new LineSplitter(maxEventBytes);
  for await (const chunk of chunks) {
    for (const split of splitter.push(chunk)) {
      const line = decode(split);
      if (!line.ok) throw line.error;
      yield line.value as unknown as JournalEvent;
    }
  }
}

/** Every request in a journal file, of all runs that were appended to it, in order. */
export async function readJournalFile(file: string): Promise<JournalEntry[]> {
  const runs = new Map<string, Map<number, JournalEntry>>();
  for await (const event of readEvents(createReadStream(file))) {
    const entries = runs.get(event.run) ?? new Map<number, JournalEntry>();
    runs.set(event.run, entries);
    foldEvent(entries, event);
  }
  return [...runs.values()].flatMap((entries) => [...entries.values()]);
}
