import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { eventsOf, wholeLog } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { MAX_INLINE_BYTES } from "../../wire/blob.ts";
import { parseEvent } from "../../wire/session/events.ts";
import type { EventLog } from "./event-log.ts";
import { openLog } from "./open-log.ts";
import type { EventDraft } from "./event-draft.ts";

let directory: string;
beforeEach(() => {
  directory = memoryDir();
});

const over = "ü".repeat(MAX_INLINE_BYTES / 2 + 1);
const within = "ü".repeat(MAX_INLINE_BYTES / 2);
const ref = { blob: expect.any(String), bytes: MAX_INLINE_BYTES + 2, preview: over.slice(0, 1000) };

/** Appends, checks what stands on disk against the schema, and gives that back. */
async function logged(log: EventLog, draft: EventDraft): Promise<Record<string, unknown>> {
  const event = log.append(draft);
  await log.durable();
  const [last] = eventsOf(wholeLog(directory)).slice(-1);
  expect(JSON.stringify(last) === JSON.stringify(event)).toBe(true);
  expect(parseEvent(last).ok).toBe(true);
  return event;
}

async function stored(log: EventLog, value: unknown): Promise<string> {
  const { data } = await log.readBlob((value as { blob: string }).blob, 0);
  return Buffer.from(data).toString();
}

test("a payload over the bound is stored as a blob, wherever an event may hold one", async () => {
  const log = openLog(directory);
  const message = await logged(log, { type: "user_message", id: "m1", text: over });
  expect(message["text"]).toEqual(ref);
  expect(await stored(log, message["text"])).toBe(over);

  const source = { type: "base64", media_type: "image/png", data: over } as const;
  const image = await logged(log, {
    type: "user_message",
    id: "m2",
    content: [
      { type: "text", text: "see" },
      { type: "image", source },
    ],
  });
  expect(image["content"]).toEqual([
    { type: "text", text: "see" },
    { type: "image", source: { ...source, data: ref } },
  ]);

  const input = { file_path: "a", edits: [{ old: "x", new: over }] };
  const call = await logged(log, { type: "tool_use", request_id: "r", tool: "Edit", input });
  expect(call["input"]).toEqual({ file_path: "a", edits: [{ old: "x", new: ref }] });
  expect(input.edits[0]?.new).toBe(over);

  const result = { type: "tool_result", request_id: "r", is_error: false } as const;
  expect((await logged(log, { ...result, output: over }))["output"]).toEqual(ref);
  expect((await logged(log, { ...result, output: within }))["output"]).toBe(within);
  expect((await logged(log, { type: "plan", request_id: "p", plan: over }))["plan"]).toEqual(ref);
  // One content, one file.
  expect(readdirSync(join(directory, "blobs"))).toHaveLength(1);
  await log.close();
});

test("many payloads below the bound that exceed a line together become blobs too", async () => {
  const log = openLog(directory);
  const files = Array.from({ length: 50 }, (_, index) => `${index}${"x".repeat(200_000)}`);
  const call = await logged(log, {
    type: "tool_use",
    request_id: "a",
    tool: "T",
    input: { files },
  });
  const refs = (call["input"] as { files: unknown[] }).files;
  expect(await stored(log, refs[49])).toBe(files[49]);

  const numbers = Array.from({ length: 1_200_000 }, () => 1_234_567);
  const huge = await logged(log, {
    type: "tool_use",
    request_id: "b",
    tool: "T",
    input: { numbers },
  });
  expect((await stored(log, huge["input"])) === JSON.stringify({ numbers })).toBe(true);
  await log.close();
});

test("an event that fits nowhere is refused, and the log goes on without it", async () => {
  const log = openLog(directory);
  const message = "x".repeat(11_000_000);
  expect(() => log.append({ type: "notice", code: "cli_message", message })).toThrow(
    expect.objectContaining({ code: "message_too_large" }),
  );
  expect((await logged(log, { type: "status", state: "idle" }))["seq"]).toBe(1);
  await log.close();
});

test("a preview does not end in half of a character", async () => {
  const log = openLog(directory);
  const text = `${"x".repeat(999)}${"😀".repeat(MAX_INLINE_BYTES / 4)}`;
  const event = await logged(log, { type: "user_message", id: "m", text });
  expect(event["text"]).toMatchObject({ preview: "x".repeat(999) });
  await log.close();
});

test("a blob is read in parts", async () => {
  const log = openLog(directory);
  const event = log.append({ type: "user_message", id: "m", text: over });
  await log.durable();
  const { blob } = (event as unknown as { text: { blob: string } }).text;
  const bytes = MAX_INLINE_BYTES + 2;
  expect(await log.readBlob(blob, 2, 2)).toEqual({
    bytes,
    offset: 2,
    data: new Uint8Array([0xc3, 0xbc]),
  });
  expect((await log.readBlob(blob, bytes - 1, 100)).data).toHaveLength(1);
  expect((await log.readBlob(blob, bytes + 5, 100)).data).toHaveLength(0);
  await log.close();
});

test("no id leads to another file", async () => {
  const log = openLog(directory);
  writeFileSync(join(directory, "a".repeat(64)), "outside");
  const ids = [
    "",
    ".",
    "../log.json",
    "/etc/passwd",
    "a".repeat(64),
    `../${"a".repeat(64)}`,
    "A".repeat(64),
  ];
  for (const id of [...ids, `${"a".repeat(64)}\n`, "a".repeat(63), "\0"]) {
    await expect(log.readBlob(id, 0)).rejects.toMatchObject({ code: "blob_not_found" });
  }
  await log.close();
});
