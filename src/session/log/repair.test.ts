import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { collect, eventsOf, foldOf, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { stateToJson } from "../../session-state/state-json.ts";
import type { EventLog } from "./event-log.ts";
import { openLog } from "./open-log.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = join(memoryDir(), "log");
  path = join(directory, "events.jsonl");
});

/** A log of five lines, and what stands in its file. */
async function write(): Promise<{ log: EventLog; bytes: Buffer }> {
  const log = openLog(directory);
  log.append({ type: "user_message", id: "m1", text: "zwölf \u2028 Boxkämpfer" });
  log.append({ type: "turn_started", turn_id: "t1", messages: ["m1"], cause: "message" });
  log.append({ type: "text_delta", turn_id: "t1", block: 0, text: "Hallo" });
  log.append({ type: "tool_use", turn_id: "t1", request_id: "r1", tool: "Bash", input: {} });
  log.append({ type: "user_message", id: "m2", text: "more" });
  await log.close();
  return { log, bytes: readFileSync(path) };
}

test("cut at any byte of the last lines: every complete line is kept, a torn one is cut off and reported", async () => {
  const { bytes } = await write();
  for (let size = bytes.indexOf('{"seq":4'); size <= bytes.length; size += 1) {
    const copy = join(memoryDir(), "copy");
    cpSync(directory, copy, { recursive: true });
    truncateSync(join(copy, "events.jsonl"), size);
    const whole = bytes.subarray(0, bytes.subarray(0, size).lastIndexOf("\n") + 1);
    const log = openLog(copy);
    await log.close();
    const text = readFileSync(join(copy, "events.jsonl"), "utf8");
    const events = eventsOf(text);
    expect(text.startsWith(whole.toString())).toBe(true);
    const added = eventsOf(text.slice(whole.toString().length));
    const torn = size - whole.length;
    expect(added).toMatchObject(
      torn === 0
        ? []
        : [{ type: "notice", code: "log_repaired", data: { offset: whole.length, bytes: torn } }],
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(stateToJson(log.state)).toEqual(stateToJson(foldOf(events)));
  }
});

test("cut in the very first line", async () => {
  await write();
  for (const size of [0, 1, 20, 40]) {
    truncateSync(path, size);
    const log = openLog(directory);
    expect(log).toMatchObject({ firstSeq: 1, lastSeq: size === 0 ? 0 : 1 });
    await log.close();
  }
});

test.each([
  ["garbage in place of a line", (text: string) => text.replace(/\{"seq":3[^\n]*/, "garbage"), 3],
  ["a line that is gone", (text: string) => text.replace(/\{"seq":3[^\n]*\n/, ""), 3],
  ["a line that is there twice", (text: string) => text.replace(/(\{"seq":2[^\n]*\n)/, "$1$1"), 3],
  ["a blank line", (text: string) => text.replace('{"seq":2', '\n{"seq":2'), 2],
  ["a first line that is none", (text: string) => `x${text}`, 1],
])("%s is an error that names file and offset, and nothing is changed", async (_, damage, line) => {
  const { bytes } = await write();
  rmSync(join(directory, "checkpoint.json"));
  const text = damage(bytes.toString());
  writeFileSync(path, text);
  const offset = Buffer.byteLength(
    bytes
      .toString()
      .split("\n")
      .slice(0, line - 1)
      .join("\n"),
  );
  expect(() => openLog(directory)).toThrow(
    expect.objectContaining({
      code: "log_damaged",
      data: { file: "events.jsonl", offset: line === 1 ? 0 : offset + 1 },
    }),
  );
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("damage before the checkpoint is found when it is read", async () => {
  const { bytes } = await write();
  const offset = bytes.indexOf('{"seq":3');
  bytes.write("garbage!", offset);
  writeFileSync(path, bytes);
  const log = openLog(directory);
  const error = { code: "log_damaged", data: { file: "events.jsonl", offset } };
  await expect(collect(log.readAfter(0))).rejects.toMatchObject(error);
  await expect(log.history(undefined, 10)).rejects.toMatchObject(error);
  await log.close();
});

test.each(["events.jsonl", "log.json"])("%s that is missing is an error", async (name) => {
  await write();
  rmSync(join(directory, name));
  expect(() => openLog(directory)).toThrow(expect.objectContaining({ code: "log_damaged" }));
});

test("an empty log.json is an error", async () => {
  await write();
  writeFileSync(join(directory, "log.json"), "{}");
  expect(() => openLog(directory)).toThrow(/log\.json is damaged/);
});

test("a client of an epoch whose end was lost is not taken for one that has everything", async () => {
  const { log: first } = await write();
  // Power was lost: of five events that clients had been told, three are on disk.
  const kept = readFileSync(path, "utf8").split("\n").slice(0, 3).join("\n");
  writeFileSync(path, `${kept}\n`);
  const log = openLog(directory);
  expect(log.logId).toBe(first.logId);
  log.append({ type: "status", state: "idle" });
  log.append({ type: "status", state: "running" });
  await log.durable();
  expect(log.holds(3, 1)).toBe(true);
  expect(log.holds(4, 1)).toBe(false);
  expect(log.holds(4, 2)).toBe(true);
  expect(log.holds(4)).toBe(true);
  expect(log.holds(4, 3)).toBe(false);
  expect(log.holds(6)).toBe(false);
  expect(() => log.readAfter(6)).toThrow(expect.objectContaining({ code: "since_not_in_log" }));
  expect(eventsOf(textOf(await collect(log.readAfter(3))))).toHaveLength(2);
  await log.close();
});

test("a client that received the torn event is not taken for one that has everything", async () => {
  const { bytes } = await write();
  truncateSync(path, bytes.length - 10);
  const log = openLog(directory);
  expect(log).toMatchObject({ epoch: 2, lastSeq: 5 });
  expect([log.holds(4, 1), log.holds(5, 1), log.holds(5, 2)]).toEqual([true, false, true]);
  await log.close();
});
