import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLog } from "./event-log.ts";
import type { EventLog } from "./event-log.ts";
import type { LogBatch } from "./log-batch.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "switchboard-log-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (): string => readFileSync(join(directory, "events.jsonl"), "utf8");

const textOf = (batches: LogBatch[]): string =>
  Buffer.concat(batches.map(({ bytes }) => bytes)).toString();

async function collect(batches: AsyncIterable<LogBatch>): Promise<LogBatch[]> {
  const all: LogBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

function hear(log: EventLog): LogBatch[] {
  const heard: LogBatch[] = [];
  log.subscribe((batch) => heard.push(batch));
  return heard;
}

test("listeners hear the bytes of the file, in one batch per turn of the event loop", async () => {
  const log = openLog(directory);
  const heard = hear(log);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  log.append({ type: "text_delta", turn_id: "t1", block: 0, text: "a" });
  expect(heard).toEqual([]);
  await log.durable();
  expect(heard.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([[1, 2]]);
  expect(textOf(heard)).toBe(file());
  const lines = file()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ seq: 1, type: "user_message", at: expect.any(String) });
  expect(lines[1]).toEqual({ seq: 2, type: "text_delta", turn_id: "t1", block: 0, text: "a" });
  await log.close();
});

test("a log that is opened again goes on, in a new epoch", async () => {
  const first = openLog(directory);
  first.append({ type: "user_message", id: "m1", text: "hi" });
  await first.close();
  const second = openLog(directory);
  expect(second).toMatchObject({ logId: first.logId, epoch: 2, lastSeq: 1, toldSeq: 1 });
  expect(second.state.acceptedIds.has("m1")).toBe(true);
  expect(second.append({ type: "status", state: "running" }).seq).toBe(2);
  await second.durable();
  const read = await collect(second.readAfter(0));
  expect(textOf(read)).toBe(file());
  await second.close();
});
