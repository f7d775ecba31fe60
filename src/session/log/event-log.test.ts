import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { collect, hear, textOf } from "../../../test/support/log-stage.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "./open-log.ts";

let directory: string;
beforeEach(() => {
  directory = tempDir();
});

const file = (): string => readFileSync(join(directory, "events.jsonl"), "utf8");

test("listeners get the bytes of the file, in one batch per turn of the event loop", async () => {
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

test("a reopened log continues in a new epoch", async () => {
  const first = openLog(directory);
  first.append({ type: "user_message", id: "m1", text: "hi" });
  await first.close();
  const second = openLog(directory);
  expect(second).toMatchObject({ logId: first.logId, epoch: 2, lastSeq: 1, publishedSeq: 1 });
  expect(second.state.acceptedIds.has("m1")).toBe(true);
  expect(second.append({ type: "status", state: "running" }).seq).toBe(2);
  await second.durable();
  const read = await collect(second.readAfter(0));
  expect(textOf(read)).toBe(file());
  await second.close();
});

test("a listener that throws is reported as a defect, and affects no other", async () => {
  const defects: unknown[] = [];
  const log = openLog(directory, { onListenerError: (error) => defects.push(error) });
  const defect = new Error("cannot listen");
  log.subscribe(() => {
    throw defect;
  });
  const heard = hear(log);
  log.append({ type: "user_message", id: "m1", text: "hi" });
  await log.durable();
  log.append({ type: "user_message", id: "m2", text: "ho" });
  await log.close();
  expect(textOf(heard)).toBe(file());
  expect(defects).toEqual([defect, defect]);
});
