import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "../../../src/bus/bus.ts";
import { openNatsBus } from "../../../src/bus/jetstream/open-nats-bus.ts";
import { dump } from "../../support/bus/memory-office.ts";
import { makeMessage } from "../../support/bus/messages.ts";
import { newTeam } from "../../support/bus/nats-adapter.ts";
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
    await Promise.all(Array.from({ length: ACTORS }, (_, actor) => act(bus, actor)));
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

const pick = (count: number): number => Math.floor(Math.random() * count);

/** Everything that a bus can do, at random, while others do the same. */
async function act(bus: Bus, actor: number): Promise<void> {
  for (let count = 0; count < ACTS; count += 1) {
    const [key, to] = [`k${pick(20)}`, `r${pick(4)}`];
    const fields = { owner: `o${pick(3)}` };
    const put = { kind: "put", collection: "c", key, value: { count, actor }, fields } as const;
    const remove = { kind: "remove", collection: "c", key: `k${pick(20)}` } as const;
    const append = { kind: "append", collection: "d", value: { count } } as const;
    const add = { kind: "add", collection: "e", key, amounts: { sent: 1 } } as const;
    const kind = pick(8);
    if (kind < 3) {
      const message = makeMessage({ from: `a${actor}`, to, ...(pick(10) === 0 && { ttl: 1 }) });
      await bus.send(message, { writes: [put, add], delivered: pick(10) === 0 });
    } else if (kind < 6) {
      const [delivery] = await bus.claim(to, { waitMs: 0 });
      const how = pick(4);
      if (how < 2) await delivery?.ack({ writes: [append] });
      else if (how === 2) await delivery?.nak({ why: "no" });
      else await delivery?.term("never", { writes: [remove] });
    } else if (kind === 6) {
      await bus.records.write([put, remove, append], { once: `once ${actor} ${pick(50)}` });
    } else {
      const { items } = await bus.deadLetters.list({ limit: 3 });
      const [first] = items;
      if (first && pick(2) === 0) await bus.deadLetters.discard(first.message.id);
      else if (first) await bus.deadLetters.resend(first.message.id);
    }
  }
}
