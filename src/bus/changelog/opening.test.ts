import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import type { Office } from "../../../test/support/bus/memory-office.ts";
import { dump, openOffice, sendCounted } from "../../../test/support/bus/memory-office.ts";
import { StormyLog } from "../../../test/support/bus/stormy-log.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { MemoryEntries, MemoryLog } from "../memory/memory-entries.ts";
import { migrate, newestSchema, schemaOf } from "../sqlite/migrations.ts";
import { perform } from "../sqlite/perform-operation.ts";
import { openSqliteBus } from "../sqlite/open-sqlite-bus.ts";
import type { Write } from "../records.ts";
import { EffectCapture } from "./effects.ts";
import type { EntryDraft, Entry } from "./entry.ts";
import { chainAfter } from "./entry.ts";
import { Replica } from "./replica.ts";

let path: string;
let log: MemoryLog;

beforeEach(() => {
  path = join(tempDir(), "bus.db");
  log = new StormyLog().log;
});

/** An office that sends so many messages, and closes. */
async function officeSends(count: number, to = path): Promise<void> {
  const office = await openOffice(to, new MemoryEntries(log));
  for (let sent = 0; sent < count; sent += 1) await sendCounted(office, randomUUID());
  await office.database.close();
}

const open = async () => (await openOffice(path, new MemoryEntries(log))).database.close();

it("a replica refuses a log that ends before it, and the log stays as it is", async () => {
  await officeSends(3);
  log.entries.pop();
  await expect(open()).rejects.toMatchObject({
    code: "bus_invalid",
    message: expect.stringContaining("the log ends before entry 4"),
  });
  expect(log.entries).toHaveLength(3);
});

it("a replica refuses a log that has another entry where its own ends", async () => {
  await officeSends(2);
  const other = new MemoryLog();
  const before = log;
  log = other;
  await officeSends(4, join(tempDir(), "other.db"));
  await expect(open()).rejects.toMatchObject({
    code: "bus_invalid",
    message: expect.stringContaining("is not the one that the database has"),
  });
  log = before;
  await open();
});

it("a replica refuses another log of the same name, however long it is", async () => {
  await officeSends(1);
  log = new MemoryLog("log-2");
  await expect(open()).rejects.toMatchObject({ code: "bus_invalid" });
  expect(log.entries).toEqual([]);
});

it("a replica refuses an entry whose data was changed", async () => {
  await officeSends(2);
  const changed = log.entries[1]!;
  log.entries[1] = { ...changed, data: Buffer.concat([changed.data, Buffer.from("x")]) };
  path = join(tempDir(), "fresh.db");
  await expect(open()).rejects.toMatchObject({
    code: "bus_invalid",
    message: expect.stringContaining("Entry 2"),
  });
});

it("a replica refuses a log that a newer version has written", async () => {
  await officeSends(1);
  const office = log.entries[0]!;
  const newer = { ...office, epoch: 2, batch: "newer", schema: newestSchema + 1 };
  log.write(newer, { lastOfficeSeq: 1 });
  await expect(open()).rejects.toMatchObject({
    code: "bus_invalid",
    message: expect.stringContaining("newer version"),
  });
});

it("an office refuses the database of a team without a log, and such a team that of an office", async () => {
  await (await openSqliteBus(path)).close();
  await expect(open()).rejects.toMatchObject({ code: "bus_invalid" });
  path = join(tempDir(), "replica.db");
  await open();
  await expect(openSqliteBus(path)).rejects.toMatchObject({
    code: "bus_invalid",
    message: expect.stringContaining("must follow that log"),
  });
});

it("a replica changes its tables where the log says so, and keeps what an older version wrote", async () => {
  const old = newestSchema - 1;
  let chain = log.logId;
  const write = (facts: Pick<EntryDraft, "kind" | "data">): void => {
    const rest = {
      logId: log.logId,
      epoch: 1,
      batch: randomUUID(),
      part: 1,
      parts: 1,
      schema: old,
    };
    const draft = { ...rest, ...facts };
    chain = chainAfter(chain, draft);
    const seq = log.entries.length;
    log.write({ ...draft, chain: facts.kind === "batch" ? chain : undefined }, { lastSeq: seq });
  };
  write({ kind: "office", data: Buffer.from("{}") });
  const db = new DatabaseSync(":memory:");
  migrate(db, old);
  const capture = new EffectCapture(db);
  capture.begin();
  db.exec("INSERT INTO onces (name, at) VALUES ('old', 1)");
  write({ kind: "batch", data: capture.end()! });

  await officeSends(1);
  await officeSends(1);
  const fresh = join(tempDir(), "fresh.db");
  await officeSends(0, fresh);
  const again = new DatabaseSync(path, { readOnly: true });
  expect(schemaOf(again)).toBe(newestSchema);
  again.close();
  expect(dump(path)["onces"]).toEqual([{ name: "old", at: 1 }]);
  expect(dump(fresh)).toEqual(dump(path));
});

it("a replica that was killed in the middle of a batch in parts reads the whole batch again", async () => {
  const office = await openOffice(path, new MemoryEntries(log, undefined, 300));
  await sendCounted(office, randomUUID(), longText());
  await office.database.close();
  const db = new DatabaseSync(":memory:");
  takeAll(db, log.entries.slice(0, 3));
  const { head } = new Replica(db, log.logId).state;
  expect(head.seq).toBe(1);
  takeAll(db, log.entries.slice(head.seq));
  expect(db.prepare("SELECT count(*) AS count FROM messages").get()).toEqual({ count: 1 });
  expect(new Replica(db, log.logId).state.head.seq).toBe(log.entries.length);
});

const put = (key: string) => ({ kind: "put", collection: "c", key, value: {} }) as const;

/** An office that writes this in one batch, and closes. */
const writeAtOnce = (writes: readonly Write[]) => async (office: Office) => {
  await office.database.transact((tables) =>
    perform(tables, { kind: "write", writes, once: undefined, nowMs: 1 }),
  );
  await office.database.close();
};

it("a replica gives no record the number of one that was written and removed in a single batch", async () => {
  const removed = [put("a"), { kind: "remove", collection: "c", key: "a" } as const, put("b")];
  await openOffice(path, new MemoryEntries(log)).then(
    writeAtOnce([...removed, put("z"), { kind: "remove", collection: "c", key: "z" }]),
  );
  path = join(tempDir(), "fresh.db");
  await openOffice(path, new MemoryEntries(log)).then(writeAtOnce([put("c")]));
  expect(dump(path)["records"]).toMatchObject([
    { seq: 2, key: "b" },
    { seq: 4, key: "c" },
  ]);
});

it("a replica takes nothing of a batch whose last part is missing", async () => {
  const office = await openOffice(path, new MemoryEntries(log, undefined, 300));
  await sendCounted(office, randomUUID(), longText());
  await office.database.close();
  log.entries.splice(3);
  path = join(tempDir(), "next.db");
  await officeSends(1);
  await officeSends(1);
  expect(dump(path)["messages"]).toHaveLength(2);
});

/** Which no compression makes much smaller. */
const longText = (): string => Array.from({ length: 60 }, () => randomUUID()).join("");

function takeAll(db: DatabaseSync, entries: readonly Entry[]): void {
  const replica = new Replica(db, log.logId);
  db.exec("BEGIN");
  for (const entry of entries) replica.take(entry);
  db.exec("COMMIT");
}

it("entries are the same again when they are read from the log in one piece or in many", async () => {
  await officeSends(300);
  const fresh = join(tempDir(), "fresh.db");
  await officeSends(0, fresh);
  expect(dump(fresh)).toEqual(dump(path));
  const kinds = log.entries.map(({ kind }: Entry) => kind);
  expect(kinds.filter((kind) => kind === "batch")).toHaveLength(300);
});
