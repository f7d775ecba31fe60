import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Office } from "../../../test/support/bus/memory-office.ts";
import { dump, openOffice, sendCounted } from "../../../test/support/bus/memory-office.ts";
import { StormyLog } from "../../../test/support/bus/stormy-log.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { perform } from "../sqlite/perform-operation.ts";
import { NotWritten } from "../sqlite/transacted-database.ts";

/** Small, so that a message goes in parts. */
const ENTRY_BYTES = 400;

it("a logged database with lost, late and unanswered appends has each message once, in order, as a fresh replica has", async () => {
  const texts = fc.array(fc.nat(1_500), { minLength: 5, maxLength: 25 });
  const dice = fc.infiniteStream(fc.nat(99));
  await fc.assert(
    fc.asyncProperty(texts, dice, async (sizes, rolls) => {
      const stormy = new StormyLog(undefined, rolls);
      const calm = new StormyLog();
      const directory = tempDir();
      const path = join(directory, "office.db");
      // Its log is calm until it is open.
      let isOpen = false;
      const way = {
        pass: () => (isOpen ? stormy.pass() : calm.pass()),
        fault: () => (isOpen ? stormy.fault() : undefined),
      };
      const office = await openOffice(path, stormy.newStream(ENTRY_BYTES, way));
      isOpen = true;
      const ids = sizes.map(() => randomUUID());
      for (const [index, id] of ids.entries())
        await sendUntilAnswered(office, id, sizes[index] ?? 0);
      isOpen = false;
      stormy.log.arrive(() => true);
      await office.database.close();

      // Opened again it takes in what came late.
      await (await openOffice(path, stormy.newStream(ENTRY_BYTES, way))).database.close();
      const fresh = join(directory, "fresh.db");
      await (await openOffice(fresh, stormy.newStream(ENTRY_BYTES, way))).database.close();
      const rows = dump(path);
      expect(dump(fresh)).toEqual(rows);
      expect((rows["messages"] as { id: string }[]).map(({ id }) => id)).toEqual(ids);
      const [counter] = rows["records"] as { value: string }[];
      expect(JSON.parse(counter?.value ?? "")).toEqual({ sent: ids.length });
    }),
    { numRuns: 25 * Number(process.env["BUS_MODEL_RUNS"] ?? 1) },
  );
});

/** As a sender does who hears that the outcome is unknown, or that nothing was changed. */
async function sendUntilAnswered(office: Office, id: string, size: number): Promise<void> {
  for (;;) {
    try {
      const content = Array.from({ length: size }, (_, at) =>
        String.fromCodePoint(97 + ((at * at) % 26)),
      ).join("");
      const outcome = await sendCounted(office, id, content);
      if (outcome !== "new" && outcome !== "duplicate") throw new Error(outcome);
      return;
    } catch (error) {
      const code =
        error instanceof NotWritten ? error.failure.code : (error as { code?: string }).code;
      if (code !== "bus_unavailable" && code !== "disk_full") throw error;
    }
  }
}

it("a logged database writes nothing for what changes nothing that counts", async () => {
  const stormy = new StormyLog();
  const office = await open(join(tempDir(), "a.db"), stormy);
  await sendCounted(office, randomUUID());
  const before = stormy.log.entries.length;
  const ask = { recipient: "bob", lines: [{ priority: "normal", lane: "work" }] as const };
  const claimed = await office.database.transact((tables) =>
    perform(tables, { kind: "claim", ...ask, max: 1, maxBytes: 1_000, leaseMs: 1_000, nowMs: 1 }),
  );
  expect(claimed.leased).toHaveLength(1);
  expect(stormy.log.entries).toHaveLength(before);
});

it("a logged database changes nothing when the log refuses, and goes on when it no longer does", async () => {
  const stormy = new StormyLog();
  const office = await open(join(tempDir(), "a.db"), stormy);
  const id = randomUUID();
  stormy.next("refused");
  await expect(sendCounted(office, id)).rejects.toMatchObject({ code: "disk_full" });
  expect(await getState(office, id)).toBeUndefined();
  expect(await sendCounted(office, id)).toBe("new");
});

it("a logged database is deposed by the next office, says so once, and writes nothing more", async () => {
  const stormy = new StormyLog();
  const directory = tempDir();
  const first = await open(join(directory, "a.db"), stormy);
  await sendCounted(first, "9c5b94b1-35ad-49bb-b118-8e8fc24abf80");
  const second = await open(join(directory, "b.db"), stormy);
  const late = randomUUID();
  for (let tries = 0; tries < 2; tries += 1) {
    await expect(sendCounted(first, late)).rejects.toMatchObject({
      failure: { code: "bus_unavailable", message: expect.stringContaining("office 2") },
    });
  }
  expect(first.deposedBy).toEqual(["office 2 of the log, in entry 3"]);
  expect(await sendCounted(second, "9c5b94b1-35ad-49bb-b118-8e8fc24abf80")).toBe("duplicate");
  expect(await getState(second, late)).toBeUndefined();
});

it("a logged database that opens again after its thread died does not take the team back", async () => {
  const stormy = new StormyLog();
  const directory = tempDir();
  const first = await openOffice(join(directory, "a.db"), stormy.newStream());
  await first.database.close();
  await open(join(directory, "b.db"), stormy);
  const again = openOffice(join(directory, "a.db"), stormy.newStream(), {
    resumeFrom: first.office.seq,
  });
  await expect(again).rejects.toMatchObject({ code: "bus_closed" });
  expect(stormy.log.entries).toHaveLength(2);
});

it("a logged database keeps its leases when it takes in a batch whose outcome it did not know", async () => {
  const stormy = new StormyLog();
  const office = await open(join(tempDir(), "a.db"), stormy);
  await sendCounted(office, randomUUID());
  const claim = () =>
    office.database.transact((tables) =>
      perform(tables, {
        kind: "claim",
        recipient: "bob",
        lines: [{ priority: "normal", lane: "work" }],
        max: 5,
        maxBytes: 1_000_000,
        leaseMs: 1_000,
        nowMs: 1,
      }),
    );
  const { leased } = await claim();
  const id = randomUUID();
  // The first copy comes late, and nothing answers until the patience is over.
  stormy.next("late", ...Array.from({ length: 30 }, () => "lost" as const));
  await expect(sendCounted(office, id)).rejects.toMatchObject({
    failure: { code: "bus_unavailable" },
  });
  stormy.next();
  stormy.log.arrive(() => true);
  expect(await sendCounted(office, id)).toBe("duplicate");
  expect((await claim()).leased.map((each) => each.id)).toEqual([id]);
  const settle = { kind: "settle", how: { kind: "ack" }, writes: [], nowMs: 2 } as const;
  const { id: leasedId, token } = leased[0]!;
  expect(
    await office.database.transact((tables) => perform(tables, { ...settle, id: leasedId, token })),
  ).toBe(true);
});

async function open(path: string, stormy: StormyLog): Promise<Office> {
  const office = await openOffice(path, stormy.newStream());
  onTestFinished(() => office.database.close());
  return office;
}

async function getState(office: Office, id: string): Promise<string | undefined> {
  const row = await office.database.transact((tables) => perform(tables, { kind: "get", id }));
  return row?.state;
}
