import { DatabaseSync } from "node:sqlite";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { makeMessage } from "./message.ts";
import { makePlace } from "./place.ts";

const CLAIMS = 300;
const STORED = [0, 100_000, 1_000_000] as const;

/** A claim and the return of the message, which costs no write; half of what is stored still waits. */
export function surveyClaims(): Survey {
  return {
    title: "Claim one message, by the number of messages that the bus holds",
    async measure() {
      const place = makePlace();
      const medians: number[] = [];
      const figures: Figure[] = [];
      for (const stored of STORED) {
        const path = place.path(`${stored}.db`);
        await (await openSqliteBus(path)).close();
        if (stored > 0) fill(path, stored);
        const ms = await claimMs(path);
        medians.push(ms);
        figures.push({ name: `${stored.toLocaleString("en")} messages`, value: ms, unit: "ms" });
      }
      place.remove();
      const [empty = 0, , full = 0] = medians;
      figures.push({
        name: "1,000,000 ÷ 0",
        value: full / empty,
        unit: "×",
        goal: { atMost: 1.2 },
      });
      return figures;
    },
  };
}

async function claimMs(path: string): Promise<number> {
  const bus = await openSqliteBus(path);
  await bus.send(makeMessage("ann", "bob"));
  const times: number[] = [];
  for (let count = 0; count < CLAIMS; count += 1) {
    const start = performance.now();
    const [delivery] = await bus.claim("bob");
    times.push(performance.now() - start);
    await delivery!.nak({ counted: false });
  }
  await bus.close();
  return median(times);
}

/** Straight into the tables, in a minute instead of an hour: half done, half waiting for ten agents. */
function fill(path: string, count: number): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  const message = db.prepare(
    `INSERT INTO messages (seq, id, sender, recipient, type, root_id, sent_at, line, place, body)
     VALUES (?, ?, ?, ?, 'task_request', ?, 0, 8, ?, ?)`,
  );
  const waiting = db.prepare(
    `INSERT INTO inbox (recipient, line, place, seq, sender, bytes, attempts)
     VALUES (?, 8, ?, ?, ?, 1000, 0)`,
  );
  const done = db.prepare("INSERT INTO done (seq, at, attempts) VALUES (?, 0, 0)");
  for (let seq = 1; seq <= count; seq += 1) {
    const each = makeMessage(`s${seq % 50}`, seq % 20 === 0 ? "bob" : `r${seq % 10}`);
    const { id, from_agent, to_agent, root_id } = each;
    message.run(seq, id, from_agent, to_agent, root_id, seq, JSON.stringify(each));
    if (seq % 2 === 0) waiting.run(to_agent, seq, seq, from_agent);
    else done.run(seq);
  }
  db.exec("COMMIT; PRAGMA journal_mode = WAL");
  db.close();
}
