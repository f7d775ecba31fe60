import type * as nodeFs from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "./open-log.ts";
import type { EventDraft } from "./event-draft.ts";

// A sync takes as long as the test wants.

type Done = (error: Error | null) => void;
const disk = vi.hoisted(() => ({
  syncs: [] as Done[],
  written: [] as string[],
  /** The next sync that is waited for on the spot fails. */
  failNow: false,
}));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  return {
    ...fs,
    fdatasync: (_fd: number, done: Done) => disk.syncs.push(done),
    fdatasyncSync: (fd: number) => {
      const fails = disk.failNow;
      disk.failNow = false;
      if (fails) throw new Error("input/output error");
      fs.fdatasyncSync(fd);
    },
    writeSync: (fd: number, bytes: Uint8Array, from: number, length: number, at: number) => {
      disk.written.push(Buffer.from(bytes.subarray(from, from + length)).toString());
      return fs.writeSync(fd, bytes, from, length, at);
    },
  };
});

beforeEach(() => {
  disk.syncs = [];
  disk.written = [];
  disk.failNow = false;
});

const written = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const notice = { type: "notice", code: "cli_message", message: "x" } as const;
const endSync = (error: Error | null = null): void => disk.syncs.shift()?.(error);

test("a promise is published when it is durable; earlier events at once, later ones after it", async () => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  const toldSeqs = (): number[] => eventsOf(textOf(heard)).map(({ seq }) => seq);
  log.append(notice);
  await written();
  expect([toldSeqs(), disk.syncs.length]).toEqual([[1], 0]);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  await written();
  log.append(notice);
  await written();
  expect([toldSeqs(), disk.syncs.length, log.publishedSeq, log.lastSeq]).toEqual([[1], 1, 1, 3]);
  endSync();
  expect([toldSeqs(), log.publishedSeq]).toEqual([[1, 2, 3], 3]);
  expect(disk.syncs).toHaveLength(0);
});

test.each<EventDraft>([
  { type: "approval_resolved", request_id: "r", outcome: "denied" },
  {
    type: "done",
    turn_id: "t",
    messages: [],
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    duration_ms: 0,
    stop_reason: "completed",
  },
])("$type is a promise", async (draft) => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  log.append(draft);
  await written();
  expect([heard.length, disk.syncs.length]).toEqual([0, 1]);
  endSync();
  expect(heard).toHaveLength(1);
});

test("callers share a sync, and a caller during a sync waits for the next", async () => {
  const log = openLog(memoryDir());
  const order: string[] = [];
  log.append(notice);
  const first = log.durable().then(() => order.push("first"));
  const second = log.durable().then(() => order.push("second"));
  log.append(notice);
  const third = log.durable().then(() => order.push("third"));
  expect(disk.syncs).toHaveLength(1);
  endSync();
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
  expect(disk.syncs).toHaveLength(1);
  endSync();
  await third;
  await log.durable();
  expect(disk.syncs).toHaveLength(0);
});

test("a failing sync rejects its callers, and the promise is published after a sync that succeeds", async () => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  const refused = log.durable();
  endSync(new Error("input/output error"));
  await expect(refused).rejects.toMatchObject({ code: "log_write_failed" });
  expect(heard).toEqual([]);
  const accepted = log.durable();
  while (disk.syncs.length > 0) endSync();
  await accepted;
  // The system may have forgotten the bytes of a sync that failed, so they were written once more.
  const copies = disk.written.filter((text) => text.includes('"id":"m1"'));
  expect(copies).toHaveLength(2);
  expect(copies[0]).toBe(copies[1]);
  expect(eventsOf(textOf(heard)).map(({ type }) => type)).toEqual(["user_message", "notice"]);
});

test("events that a listener appends come after the current batch, in order", async () => {
  const log = openLog(memoryDir());
  const seen: number[] = [];
  log.subscribe(({ firstSeq, lastSeq }) => {
    seen.push(firstSeq, lastSeq);
    if (log.lastSeq < 3) {
      log.append(notice);
      void log.durable();
    }
  });
  log.append(notice);
  await written();
  while (disk.syncs.length > 0) endSync();
  await written();
  expect(seen).toEqual([1, 1, 2, 2, 3, 3]);
});

test("a sync that fails before a rotation leaves the written bytes in doubt, so they are written again", async () => {
  const log = openLog(memoryDir(), { maxSegmentBytes: 1000 });
  disk.failNow = true;
  log.append({ ...notice, message: "y".repeat(1000) });
  await written();
  expect(disk.failNow).toBe(false);
  log.append(notice);
  const safe = log.durable();
  while (disk.syncs.length > 0) endSync();
  await safe;
  expect(disk.written.filter((text) => text.includes("yyy"))).toHaveLength(2);
});
