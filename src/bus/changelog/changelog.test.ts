import * as fc from "fast-check";
import { expect, it } from "vitest";
import { StormyLog, patientClock } from "../../../test/support/bus/stormy-log.ts";
import { MemoryEntries } from "../memory/memory-entries.ts";
import type { EntryStream } from "./entry-stream.ts";
import { Changelog } from "./changelog.ts";
import { chainAfter } from "./entry.ts";

const PATIENCE_MS = 200;

type Act = { kind: "append"; bytes: number } | { kind: "take" } | { kind: "crash" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("append" as const), bytes: fc.nat(25) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "take" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "crash" as const }) },
);
const lives = fc.array(fc.array(act, { minLength: 2, maxLength: 15 }), {
  minLength: 2,
  maxLength: 3,
});

interface Note {
  batch: string;
  seq: number;
}

/** One process after the other that writes to the log, and what it was told. */
class Writer {
  readonly acknowledged: Note[] = [];
  readonly denied: string[] = [];
  readonly #stream: EntryStream;
  #log: Changelog;
  #isOffice = false;
  #count = 0;
  readonly #name: string;

  constructor(name: string, stream: EntryStream) {
    this.#name = name;
    this.#stream = stream;
    this.#log = this.#begin();
  }

  async live(acts: readonly Act[]): Promise<void> {
    for (const each of acts) {
      if (each.kind === "crash") this.#log = this.#begin();
      if (each.kind === "take" || !this.#isOffice) await this.#take();
      if (each.kind === "append" && this.#isOffice) await this.#append(each.bytes);
    }
  }

  #begin(): Changelog {
    this.#isOffice = false;
    const options = {
      schema: 1,
      clock: patientClock(),
      patienceMs: PATIENCE_MS,
      writer: this.#name,
    };
    return new Changelog(this.#stream, options);
  }

  async #take(): Promise<void> {
    await this.#readTo(await this.#log.approximateEnd());
    const outcome = await this.#log.takeOver();
    this.#isOffice = outcome.kind === "taken";
    if (outcome.kind === "taken") await this.#readTo(outcome.seq);
  }

  async #readTo(end: number): Promise<void> {
    for await (const entry of this.#log.read(end)) this.#log.pass(entry);
  }

  async #append(bytes: number): Promise<void> {
    const data = Buffer.from(`${this.#name} ${(this.#count += 1)} ${"x".repeat(bytes)}`);
    for (;;) {
      const outcome = await this.#log.append(data);
      if (outcome.kind === "written") {
        this.acknowledged.push({ batch: outcome.batch, seq: this.#log.head.seq });
        return;
      }
      if (outcome.kind === "deposed") this.#isOffice = false;
      if (outcome.kind === "deposed" || outcome.kind === "refused") {
        this.denied.push(data.toString());
        return;
      }
      if (!(await this.#lookOn()) || outcome.kind === "unknown") return;
    }
  }

  /** Reads what is behind the head, as the replica of an office does. Returns false when another one has written. */
  async #lookOn(): Promise<boolean> {
    for (;;) {
      const looked = await this.#log.look(this.#log.head.seq + 1);
      if (looked.kind !== "found") return true;
      if (looked.entry.epoch !== this.#log.office.epoch) {
        this.#isOffice = false;
        return false;
      }
      this.#log.pass(looked.entry);
    }
  }
}

it("a changelog loses and doubles nothing, and has one writer at a time, whatever gets lost, late or refused on the way", async () => {
  await fc.assert(
    fc.asyncProperty(lives, fc.scheduler(), fc.infiniteStream(fc.nat(99)), async (all, s, dice) => {
      const stormy = new StormyLog(s, dice);
      const writers = all.map((_, index) => new Writer(`w${index}`, stormy.newStream(20)));
      await s.waitFor(Promise.all(writers.map((writer, index) => writer.live(all[index] ?? []))));
      stormy.log.arrive(() => true);
      const { entries } = stormy.log;

      let [chain, epoch] = [stormy.log.logId, 0];
      for (const entry of entries) {
        expect(entry.kind === "office" ? entry.epoch > epoch : entry.epoch === epoch).toBe(true);
        chain = chainAfter(chain, entry);
        expect(entry.chain).toBe(entry.kind === "batch" ? chain : undefined);
        epoch = entry.epoch;
      }
      const whole = entries.filter(({ part, parts }) => part === parts);
      for (const { acknowledged, denied } of writers) {
        for (const { batch, seq } of acknowledged) {
          expect(whole.filter((each) => each.batch === batch).map((each) => each.seq)).toEqual([
            seq,
          ]);
        }
        expect(acknowledged.map(({ seq }) => seq)).toEqual(
          acknowledged.map(({ seq }) => seq).sort((a, b) => a - b),
        );
        const texts = completeTexts(entries);
        for (const text of denied) expect(texts).not.toContain(text);
      }
    }),
    { numRuns: 300 * Number(process.env["BUS_MODEL_RUNS"] ?? 1) },
  );
});

/** The data of each batch that is complete, its parts one behind the other. */
function completeTexts(
  entries: readonly { batch: string; part: number; parts: number; data: Uint8Array }[],
): string[] {
  const batches = Map.groupBy(entries, ({ batch }) => batch);
  return [...batches.values()]
    .filter((parts) => parts.length === parts[0]?.parts)
    .map((parts) => Buffer.concat(parts.map(({ data }) => data)).toString());
}

it("a changelog whose entry was refused after one without an answer calls the outcome unknown, not refused", async () => {
  const stormy = new StormyLog();
  const stream = stormy.newStream(20);
  const log = new Changelog(stream, {
    schema: 1,
    clock: patientClock(),
    patienceMs: 200,
    writer: "w",
  });
  const taken = await log.takeOver();
  for await (const entry of log.read(taken.kind === "taken" ? taken.seq : 0)) log.pass(entry);

  stormy.next("refused");
  expect(await log.append(Buffer.from("a"))).toEqual({ kind: "refused", why: "it is full" });
  expect(stormy.log.entries).toHaveLength(1);

  // The publish that comes late, and looks between tries that find nothing.
  stormy.next(
    "late",
    undefined,
    "refused",
    undefined,
    "refused",
    undefined,
    "refused",
    undefined,
    "refused",
  );
  expect(await log.append(Buffer.from("b"))).toEqual({ kind: "unknown", why: "it is full" });
  stormy.log.arrive(() => true);
  expect(stormy.log.entries).toHaveLength(2);
  expect(await log.append(Buffer.from("c"))).toEqual({ kind: "ghost", seq: 2 });
});

it("a taker loses when another process became the office since it read the log", async () => {
  const stream = new MemoryEntries(new StormyLog().log);
  const [first, second] = [0, 1].map(
    () => new Changelog(stream, { schema: 1, clock: patientClock(), patienceMs: 200, writer: "w" }),
  );
  expect(await first?.takeOver()).toEqual({ kind: "taken", seq: 1, epoch: 1 });
  expect(await second?.takeOver()).toMatchObject({ kind: "lost", to: { seq: 1, epoch: 1 } });
});
