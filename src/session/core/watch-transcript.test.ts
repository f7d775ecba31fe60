import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { TranscriptWatch } from "./watch-transcript.ts";

function stage() {
  const configDir = memoryDir();
  const project = join(configDir, "projects/-work");
  mkdirSync(project, { recursive: true });
  const timers = new HandTimers();
  const rows: string[] = [];
  const watch = new TranscriptWatch(configDir, timers, (read) => {
    rows.push(...read.map(({ uuid = "" }) => uuid));
  });
  onTestFinished(() => watch.close());
  const write = (session: string, text: string): void =>
    appendFileSync(join(project, `${session}.jsonl`), text);
  const add = (session: string, uuid: string): void =>
    write(session, `${JSON.stringify({ type: "user", uuid })}\n`);
  return { timers, rows, watch, write, add };
}

test("each row is reported once, when complete; a file that is created later is found", () => {
  const { rows, watch, write, add } = stage();
  watch.follow("s1");
  watch.look();
  expect(rows).toEqual([]);
  add("s1", "a");
  write("s1", '{"type":"user","uu');
  watch.look();
  watch.look();
  expect(rows).toEqual(["a"]);
  write("s1", 'id":"b"}\n');
  watch.look();
  expect(rows).toEqual(["a", "b"]);
});

test("a row is reported without polling, where the system reports changes", async () => {
  const { rows, watch, add } = stage();
  add("s1", "a");
  watch.follow("s1");
  watch.look();
  add("s1", "b");
  await expect.poll(() => rows, { timeout: 20_000 }).toEqual(["a", "b"]);
});

test("it polls until there is nothing to wait for, once at a time", () => {
  const { timers, rows, watch, add } = stage();
  watch.follow("s1");
  const done = (): boolean => rows.length > 0;
  watch.lookUntil(done);
  watch.lookUntil(done);
  expect(timers.waiting).toBe(1);
  timers.pass(1000);
  add("s1", "a");
  timers.pass(100);
  expect(rows).toEqual(["a"]);
  expect(timers.waiting).toBe(0);
});

test("after /clear the previous file is still followed, and the one before that is not", () => {
  const { rows, watch, add } = stage();
  for (const session of ["s1", "s2", "s2"]) watch.follow(session);
  add("s2", "b");
  add("s1", "a");
  watch.look();
  expect(rows.toSorted()).toEqual(["a", "b"]);
  watch.follow("s3");
  for (const session of ["s1", "s2", "s3"]) add(session, session);
  watch.look();
  expect(rows.slice(2)).toEqual(["s2", "s3"]);
});

test("after the end nothing is reported and no timer is left", () => {
  const { timers, rows, watch, add } = stage();
  watch.follow("s1");
  watch.lookUntil(() => false);
  watch.close();
  add("s1", "a");
  watch.look();
  watch.lookUntil(() => false);
  timers.pass(1000);
  expect([rows, timers.waiting]).toEqual([[], 0]);
});
