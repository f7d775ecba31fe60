import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { copyTables } from "../../src/bus/changelog/copy-tables.ts";
import type { LogSettings } from "../../src/bus/changelog/log-settings.ts";
import { openLoggedDatabase } from "../../src/bus/changelog/open-logged-database.ts";
import { followNatsLog } from "../../src/bus/jetstream/follow-nats-log.ts";
import {
  COPIER,
  moveMemoryToNats,
  moveMemoryToSqlite,
} from "../../src/bus/jetstream/move-memory.ts";
import { openJetStream } from "../../src/bus/jetstream/open-jetstream.ts";
import { openNatsBus } from "../../src/bus/jetstream/open-nats-bus.ts";
import { readLogStatus } from "../../src/bus/jetstream/read-log-status.ts";
import { repairLog } from "../../src/bus/jetstream/repair-log.ts";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import { readReplicaPlace } from "../../src/bus/sqlite/read-replica-place.ts";
import { systemClock } from "../../src/time/clock.ts";
import { dump } from "../support/bus/memory-office.ts";
import { makeMessage } from "../support/bus/messages.ts";
import { newTeam } from "../support/bus/nats-adapter.ts";
import { act } from "../support/bus/random-use.ts";
import type { Nats } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A memory of every kind of row, and one record that is larger than an entry. */
async function used(path: string): Promise<ReturnType<typeof dump>> {
  const bus = await openSqliteBus(path, { maxAttempts: 2 });
  await Promise.all([1, 2, 3, 4].map((actor) => act(bus, actor, 60)));
  const large = { text: randomBytes(1_500_000).toString("base64") };
  await bus.records.write([{ kind: "put", collection: "c", key: "large", value: large }]);
  await bus.records.write([
    { kind: "put", collection: "epochs", key: "team", value: { epoch: 7 } },
  ]);
  await bus.close();
  return dump(path);
}

/** The copy for SQLite alone notes the last epoch of its log. */
const isOther = (row: unknown): boolean => (row as { collection: string }).collection !== "epochs";

describe.skipIf(!hasNats)("the memory of a stopped team", () => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  const place = (): { path: string; settings: LogSettings } => ({
    path: join(tempDir(), "bus.db"),
    settings: { servers: nats.urls, team: newTeam() },
  });

  async function removeStream(team: string): Promise<void> {
    const nc = await connect({ servers: [...nats.urls] });
    await (await jetstreamManager(nc)).streams.delete(`SB_${team}_LOG`);
    await nc.close();
  }

  test("moves into a log and back with every row, and its epochs go on", async () => {
    const { path, settings } = place();
    const before = await used(path);
    const { former } = await moveMemoryToNats(path, settings);
    expect(dump(path)).toEqual(before);
    expect(existsSync(former)).toBe(true);
    const elsewhere = join(tempDir(), "bus.db");
    const office = await openNatsBus(elsewhere, settings);
    // The copy itself was the eighth office.
    expect(office.epoch).toBe(9);
    await office.send(makeMessage({ content: "on NATS" }));
    await office.close();
    expect((await readLogStatus(settings)).log).toMatchObject({ newestOffice: { epoch: 9 } });

    // Back to the first machine, whose replica lacks what came later.
    await moveMemoryToSqlite(path, settings);
    const bus = await openSqliteBus(path);
    await bus.close();
    const [moved, there] = [dump(path), dump(elsewhere)];
    for (const table of ["messages", "inbox", "done", "dead", "record_fields", "onces"]) {
      expect(moved[table]).toEqual(there[table]);
    }
    expect(moved["records"]?.filter(isOther)).toEqual(there["records"]?.filter(isOther));
    // The log takes no office any more, and not another memory either.
    const refused = { code: "bus_invalid" };
    await expect(openNatsBus(elsewhere, settings)).rejects.toMatchObject(refused);
    await expect(moveMemoryToNats(path, settings)).rejects.toMatchObject(refused);
    await removeStream(settings.team);
    await moveMemoryToNats(path, settings);
    const again = await openNatsBus(path, settings);
    expect(again.epoch).toBeGreaterThan(10);
    await again.close();
  });

  test("is moved whole by a second call when the first was cut off", async () => {
    const { path, settings } = place();
    const half = join(tempDir(), "half.db");
    {
      const bus = await openSqliteBus(path);
      await act(bus, 1, 30);
      await bus.close();
      copyFileSync(path, half);
    }
    // As if the first call had come as far as these rows.
    const { database } = await openLoggedDatabase({
      path: `${path}.new`,
      maxAttempts: 5,
      clock: systemClock,
      writer: COPIER,
      onDeposed: () => {},
      openStream: async (logId) => (await openJetStream(settings, logId)).stream,
    });
    const source = new DatabaseSync(half);
    source.exec("DELETE FROM records; DELETE FROM record_fields; DELETE FROM onces;");
    await copyTables(source, database);
    source.close();
    await database.close();

    const before = dump(path);
    await moveMemoryToNats(path, settings);
    expect(dump(path)).toEqual(before);
    const fresh = join(tempDir(), "bus.db");
    await (await openNatsBus(fresh, settings)).close();
    expect(dump(fresh)).toEqual(before);
  });

  test("is not moved into the log of another team", async () => {
    const { path, settings } = place();
    const before = await used(path);
    await (await openNatsBus(join(tempDir(), "bus.db"), settings)).close();
    await expect(moveMemoryToNats(path, settings)).rejects.toMatchObject({ code: "bus_invalid" });
    expect(dump(path)).toEqual(before);
  });

  test("begins a new log from its replica when the old one is gone, and leaves a whole one alone", async () => {
    const { path, settings } = place();
    const bus = await openNatsBus(path, settings);
    await Promise.all([1, 2].map((actor) => act(bus, actor, 30)));
    await bus.close();
    const before = dump(path);
    expect(await repairLog(path, settings)).toBeUndefined();
    await removeStream(settings.team);
    await expect(openNatsBus(path, settings)).rejects.toMatchObject({ code: "bus_invalid" });
    expect(await repairLog(path, settings)).toMatchObject({ former: `${path}.before` });
    const office = await openNatsBus(path, settings);
    onTestFinished(() => office.close());
    expect(office.epoch).toBe(bus.epoch + 2);
    const fresh = join(tempDir(), "bus.db");
    await (await openNatsBus(fresh, settings)).close();
    expect(dump(fresh)).toEqual(before);
  });

  test("is not begun anew where a shorter log is there", async () => {
    const { path, settings } = place();
    const bus = await openNatsBus(path, settings);
    await bus.send(makeMessage());
    await bus.close();
    await removeStream(settings.team);
    await (await openNatsBus(join(tempDir(), "bus.db"), settings)).close();
    await expect(repairLog(path, settings)).rejects.toMatchObject({
      code: "bus_invalid",
      hint: expect.stringContaining("nats stream rm"),
    });
  });

  test("is followed by a process that stands by, which then has all entries", async () => {
    const { path, settings } = place();
    const bus = await openNatsBus(path, settings);
    const replica = join(tempDir(), "bus.db");
    const over = new AbortController();
    const following = followNatsLog(replica, settings, over.signal);
    await bus.send(makeMessage());
    const { log } = await readLogStatus(settings);
    const reached = async (): Promise<number | undefined> =>
      existsSync(replica) ? (await readReplicaPlace(replica).catch(() => undefined))?.head.seq : 0;
    await expect.poll(reached, { timeout: 20_000, interval: 200 }).toBe(log?.lastSeq);
    over.abort();
    await following;
    await bus.close();
    expect(dump(replica)).toEqual(dump(path));
  });
});
