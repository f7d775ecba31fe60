import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Changelog } from "../../../src/bus/changelog/changelog.ts";
import type { EntryDraft } from "../../../src/bus/changelog/entry.ts";
import { beginningOf, chainAfter } from "../../../src/bus/changelog/entry.ts";
import type { EntryStream } from "../../../src/bus/changelog/entry-stream.ts";
import { openJetStream } from "../../../src/bus/jetstream/open-jetstream.ts";
import { MemoryEntries, MemoryLog } from "../../../src/bus/memory/memory-entries.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { newTeam } from "../../support/bus/nats-adapter.ts";
import type { Nats } from "../../support/nats/start-nats.ts";
import { hasNats, startNats } from "../../support/nats/start-nats.ts";

/** Gives two ends of one new log, as two processes have them. */
type Ends = () => Promise<readonly [EntryStream, EntryStream]>;

describe("a changelog in memory", () => {
  suite(async () => {
    const log = new MemoryLog(randomUUID());
    return [new MemoryEntries(log), new MemoryEntries(log)];
  });
});

const clusters = [
  { name: "one NATS server", servers: 1 },
  { name: "three NATS servers", servers: 3 },
] as const;

describe.skipIf(!hasNats).each(clusters)("a changelog on $name", ({ servers }) => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats({ servers });
  });
  afterAll(() => nats.close());

  const newEnds: Ends = async () => {
    const settings = { servers: nats.urls, team: newTeam() };
    const one = await openJetStream(settings, undefined);
    const other = await openJetStream(settings, one.stream.logId);
    expect(other.stream.logId).toBe(one.stream.logId);
    return [one.stream, other.stream];
  };
  suite(newEnds);
});

function suite(newEnds: Ends): void {
  const open: Ends = async () => {
    const ends = await newEnds();
    onTestFinished(async () => {
      for (const end of ends) await end.close();
    });
    return ends;
  };

  it("writes an entry only when it becomes the number that it expects, and reads it back whole", async () => {
    const [one, other] = await open();
    const office = draftOf(one, "office", 1);
    expect(await one.publish(office, { lastOfficeSeq: 0 })).toEqual({ kind: "written", seq: 1 });
    const batch = draftOf(one, "batch", 1, Buffer.from([0, 255, 13, 10]));
    expect(await one.publish(batch, { lastSeq: 0 })).toMatchObject({ kind: "unclear" });
    expect(await one.publish(batch, { lastSeq: 2 })).toMatchObject({ kind: "unclear" });
    expect(await other.look(2)).toEqual({ kind: "nothing" });
    expect(await one.publish(batch, { lastSeq: 1 })).toEqual({ kind: "written", seq: 2 });
    const looked = await other.look(2);
    expect(looked).toMatchObject({
      kind: "found",
      entry: { ...batch, seq: 2, data: expect.anything() },
    });
    expect(looked.kind === "found" && Buffer.from(looked.entry.data)).toEqual(batch.data);
  });

  it("lets an office entry compete with other offices, and not with batches", async () => {
    const [one, other] = await open();
    expect(await other.newestOffice()).toEqual({ kind: "nothing" });
    await one.publish(draftOf(one, "office", 1), { lastOfficeSeq: 0 });
    await one.publish(draftOf(one, "batch", 1), { lastSeq: 1 });
    const second = draftOf(one, "office", 2);
    expect(await other.publish(second, { lastOfficeSeq: 0 })).toMatchObject({ kind: "unclear" });
    expect(await other.publish(second, { lastOfficeSeq: 1 })).toEqual({ kind: "written", seq: 3 });
    const found = { batch: second.batch, seq: 3, epoch: 2 };
    await expect.poll(() => one.newestOffice()).toMatchObject({ kind: "found", entry: found });
  });

  it("reads a part of the log in order, up to the largest entries", async () => {
    const [one, other] = await open();
    const sizes = [0, 1, 4_096, one.maxDataBytes, 17, one.maxDataBytes];
    await one.publish(draftOf(one, "office", 1), { lastOfficeSeq: 0 });
    for (const [index, size] of sizes.entries()) {
      const draft = draftOf(one, "batch", 1, Buffer.alloc(size, index));
      expect(await one.publish(draft, { lastSeq: index + 1 })).toMatchObject({ kind: "written" });
    }
    await expect.poll(() => other.approximateEnd()).toBe(7);
    const found: number[][] = [];
    for await (const { seq, data } of other.read(1, 6))
      found.push([seq, data.length, data[0] ?? 0]);
    expect(found).toEqual(sizes.slice(0, 5).map((size, index) => [index + 2, size, size && index]));
  });

  it("is written by one office at a time, which keeps the chain through parts and take-overs", async () => {
    const [one, other] = await open();
    const [first, second] = [one, other].map((stream) => newLog(stream)) as [Changelog, Changelog];
    await takeOver(first);
    const large = Buffer.alloc(2 * one.maxDataBytes + 1, 7);
    expect(await first.append(large)).toMatchObject({ kind: "written" });
    expect(first.head.seq).toBe(4);
    await takeOver(second);
    expect(await first.append(Buffer.from("late"))).toMatchObject({
      kind: "deposed",
      by: { kind: "office", epoch: 2, seq: 5 },
    });
    expect(await second.append(Buffer.from("next"))).toMatchObject({ kind: "written" });
    let { chain } = beginningOf(one.logId);
    for await (const entry of one.read(0, 6)) {
      chain = chainAfter(chain, entry);
      expect(entry.chain ?? chain).toBe(chain);
    }
    expect(second.head).toEqual({ seq: 6, chain });
  });
}

const newLog = (stream: EntryStream): Changelog =>
  new Changelog(stream, { schema: 1, clock: systemClock, patienceMs: 20_000, writer: "test" });

async function takeOver(log: Changelog): Promise<void> {
  await readTo(log, await log.approximateEnd());
  const outcome = await log.takeOver();
  expect(outcome).toMatchObject({ kind: "taken" });
  if (outcome.kind === "taken") await readTo(log, outcome.seq);
}

async function readTo(log: Changelog, end: number): Promise<void> {
  for await (const entry of log.read(end)) log.pass(entry);
}

const draftOf = (
  { logId }: EntryStream,
  kind: EntryDraft["kind"],
  epoch: number,
  data: Uint8Array = Buffer.from("data"),
): EntryDraft => ({
  kind,
  logId,
  epoch,
  batch: randomUUID(),
  part: 1,
  parts: 1,
  schema: 4,
  chain: kind === "batch" ? "a-chain" : undefined,
  data,
});
