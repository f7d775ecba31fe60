import { expect, test } from "vitest";
import { openMemoryBus } from "../../bus/memory/open-memory-bus.ts";
import { errorOf } from "../../wire/errors.ts";
import { ManualClock } from "../../../test/support/bus/manual-clock.ts";
import { messageOf } from "../../../test/support/team-messages.ts";
import { communicationStats } from "./communication-stats.ts";
import { CommunicationRecord } from "./communication-record.ts";

const start = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const at = (minutes: number): string => new Date(start + minutes * MINUTE).toISOString();

/** Ten deliveries in the first minute that took 1 to 10 ms, nothing in the second, two failures in the third. */
async function stage() {
  const clock = new ManualClock();
  const bus = openMemoryBus({ clock });
  const record = new CommunicationRecord(bus.records, (error) => {
    throw error;
  });
  const timestamp = at(0);
  for (let ms = 10; ms >= 1; ms -= 1) {
    await bus.records.write([record.writeOfDelivery(messageOf({ timestamp }), start + ms)]);
  }
  clock.advance(2 * MINUTE);
  const refused = errorOf("not_allowed", "no");
  for (const from_agent of ["boss", "coder"]) {
    await bus.records.write([record.writeOfFailure(messageOf({ from_agent }), refused)]);
  }
  return record;
}

const query = { bucketMs: MINUTE, sinceMs: start, untilMs: start + 5 * MINUTE };
const first = { at: at(0), count: 10, failures: 0, p50_ms: 5, p95_ms: 10 };
const third = { at: at(2), count: 2, failures: 2, p50_ms: null, p95_ms: null };

test("[TEAM-17] communicationStats counts lines and failures by bucket, with the latency of deliveries", async () => {
  const record = await stage();
  expect(await communicationStats(record, query)).toEqual({
    since: at(0),
    until: at(5),
    bucket_ms: MINUTE,
    buckets: [first, third],
  });
  const ofBoss = await communicationStats(record, { ...query, from: "boss", sinceMs: start + 1 });
  expect(ofBoss.buckets).toEqual([{ ...third, count: 1, failures: 1 }]);
});

test("[TEAM-17] communicationStats stops between two buckets when there is too much, and says where to go on", async () => {
  const record = await stage();
  const page = await communicationStats(record, query, 3);
  expect(page).toMatchObject({ buckets: [first], next: at(2) });
  const rest = await communicationStats(record, { ...query, sinceMs: Date.parse(page.next!) }, 3);
  expect(rest.buckets).toEqual([third]);
  expect(rest).not.toHaveProperty("next");
});

test("[TEAM-17] communicationStats refuses a time that ends before it begins, and too many buckets", async () => {
  const record = await stage();
  const stats = (change: object) => communicationStats(record, { ...query, ...change });
  await expect(stats({ sinceMs: start + 6 * MINUTE })).rejects.toMatchObject({
    code: "invalid_params",
    message: expect.stringContaining("since"),
  });
  await expect(stats({ bucketMs: 100 })).rejects.toMatchObject({
    code: "invalid_params",
    hint: expect.stringContaining("longer buckets"),
  });
});
