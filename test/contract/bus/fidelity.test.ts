import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNatsBus } from "../../../src/bus/jetstream/open-nats-bus.ts";
import { dump } from "../../support/bus/memory-office.ts";
import { newTeam } from "../../support/bus/nats-adapter.ts";
import { act } from "../../support/bus/random-use.ts";
import type { Nats } from "../../support/nats/start-nats.ts";
import { hasNats, startNats } from "../../support/nats/start-nats.ts";
import { tempDir } from "../../support/temp-dir.ts";

const ACTORS = 12;
const ACTS = Number(process.env["NATS_FIDELITY_ACTS"] ?? 100);

describe.skipIf(!hasNats)("a replica made from the log alone", () => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  it("is the office's row by row after random use by many at once", async () => {
    const team = newTeam();
    const directory = tempDir();
    const paths = [join(directory, "office.db"), join(directory, "fresh.db")] as const;
    const bus = await openNatsBus(paths[0], { servers: nats.urls, team, maxAttempts: 2 });
    await Promise.all(Array.from({ length: ACTORS }, (_, actor) => act(bus, actor, ACTS)));
    await bus.close();
    await (await openNatsBus(paths[1], { servers: nats.urls, team })).close();

    const rows = dump(paths[0]);
    expect(dump(paths[1])).toEqual(rows);
    const counts = Object.entries(rows).map(([table, each]) => [table, each.length > 0]);
    expect(Object.fromEntries(counts)).toEqual({
      messages: true,
      inbox: true,
      done: true,
      dead: true,
      records: true,
      record_fields: true,
      onces: true,
      sqlite_sequence: true,
    });
  });
});
