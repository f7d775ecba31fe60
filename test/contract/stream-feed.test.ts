import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openMemoryBus } from "../../src/bus/memory/open-memory-bus.ts";
import { Feed } from "../../src/stream/feed.ts";
import type { LogBatch, StreamLog } from "../../src/stream/log-batch.ts";
import { Timeline } from "../../src/team/timeline/timeline.ts";
import { TimelineLog } from "../../src/team/timeline/timeline-log.ts";
import { loggedSession } from "../support/logged-session.ts";

// One feed serves the session's protocol and the team's. What must hold for a client of either is here.

interface Subject {
  readonly log: StreamLog & { subscribe(listener: (batch: LogBatch) => void): () => void };
  append(count: number): Promise<void>;
  close(): Promise<void>;
}

const subjects: [name: string, open: () => Promise<Subject>][] = [
  [
    "the session's log",
    async () => {
      const session = loggedSession();
      return {
        log: session.log,
        async append(count) {
          for (let n = 0; n < count; n += 1) session.say("x");
          await session.log.durable();
        },
        close: () => session.log.close(),
      };
    },
  ],
  [
    "the team's timeline",
    async () => {
      const bus = openMemoryBus();
      const timeline = await Timeline.open(bus.records);
      return {
        log: new TimelineLog(timeline),
        async append(count) {
          for (let n = 0; n < count; n += 1) timeline.append({ type: "team_stopping", by: "x" });
          await timeline.flushed();
        },
        close: () => bus.close(),
      };
    },
  ],
];

/** A client that reads when it is told to: until then its queue holds only so many batches. */
class SlowReader {
  readonly got: number[] = [];
  #room = 0;
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

  trySend(bytes: Uint8Array): boolean {
    if (this.#room === 0) return false;
    this.#room -= 1;
    for (const line of new TextDecoder().decode(bytes).trim().split("\n")) {
      this.got.push((JSON.parse(line) as { seq: number }).seq);
    }
    return true;
  }

  async drained(): Promise<void> {
    while (this.#room === 0 && !this.#isClosed) await this.#wake.promise;
  }

  read(batches: number): void {
    this.#room = batches;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake.resolve();
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ read: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ attach: fc.nat(30) }),
    fc.constant("reconnect" as const),
  ),
  { maxLength: 25 },
);

test.each(subjects)(
  "a client of %s gets every event once and in order, however slowly it reads and wherever it attaches",
  async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const subject = await open();
        const { log } = subject;
        /** For each connection or `attach`: the place, and what came after it. */
        const parts: { since: number; from: number; reader: SlowReader }[] = [];
        const start = (since: number) => {
          const reader = new SlowReader();
          const feed = new Feed({
            log,
            target: reader,
            position: since,
            onReset: () => {},
            onFailure: (error) => expect.unreachable(String(error)),
          });
          const stop = log.subscribe((batch) => feed.take(batch));
          feed.restart(since);
          parts.push({ since, from: 0, reader });
          return { reader, feed, stop };
        };
        let client = start(0);
        for (const step of history) {
          if (step === "reconnect") {
            client.feed.stop();
            client.stop();
            client.reader.close();
            const last = client.reader.got.at(-1) ?? parts.at(-1)?.since ?? 0;
            client = start(last);
          } else if ("append" in step) await subject.append(step.append);
          else if ("read" in step) {
            client.reader.read(step.read);
            await new Promise((resolve) => setImmediate(resolve));
          } else {
            const since = Math.min(step.attach, log.publishedSeq);
            parts.push({ since, from: client.reader.got.length, reader: client.reader });
            client.feed.restart(since);
          }
        }
        client.reader.read(Number.POSITIVE_INFINITY);
        await client.feed.caughtUp();
        await subject.append(1);
        parts.forEach(({ since, from, reader }, index) => {
          const next = parts[index + 1];
          const upto = next?.reader === reader ? next.from : undefined;
          const got = reader.got.slice(from, upto);
          expect(got).toEqual(got.map((_, place) => since + place + 1));
        });
        expect(client.reader.got.at(-1)).toBe(log.publishedSeq);
        client.stop();
        client.feed.stop();
        await subject.close();
      }),
      { numRuns: 60 },
    );
  },
);
