import { appendFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { drafts } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "./open-log.ts";
import { openStoredLog } from "./stored-log.ts";

test("openStoredLog reads the same pages as the log itself, over several files, while it is being written", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drafts, { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 30 }),
      async (events, limit) => {
        const directory = memoryDir();
        const log = openLog(directory, { maxSegmentBytes: 2000 });
        for (const draft of events) {
          log.append(draft);
          if (draft.type === "done") await log.durable();
        }
        await log.durable();
        const stored = openStoredLog(directory);
        expect(stored?.logId).toBe(log.logId);
        let before: number | undefined;
        for (let more = true; more;) {
          const page = await stored!.history(before, limit);
          expect(page).toEqual(await log.history(before, limit));
          const whole = await stored!.history(before, limit, { whole: true });
          expect(whole).toEqual(await log.history(before, limit, { whole: true }));
          before = page.events[0]?.seq;
          ({ more } = page);
        }
        await log.close();
      },
    ),
    { numRuns: 30 },
  );
});

test("openStoredLog leaves out a line that a crash tore, and reads blobs", async () => {
  const directory = memoryDir();
  const log = openLog(directory);
  const text = "x".repeat(300_000);
  log.append({ type: "user_message", id: "m1", text, quiet: false });
  await log.durable();
  appendFileSync(join(directory, "events.jsonl"), '{"seq":2,"type":"not');
  const stored = openStoredLog(directory)!;
  const { events, more } = await stored.history(undefined, 10);
  expect([events.length, more]).toEqual([1, false]);
  const [message] = events;
  const ref = message?.type === "user_message" ? message.text : undefined;
  expect(ref).toMatchObject({ bytes: 300_000 });
  const { blob } = ref as { blob: string };
  expect(await stored.readBlob(blob, 299_990, 100)).toMatchObject({
    bytes: 300_000,
    offset: 299_990,
    data: new Uint8Array(10).fill(0x78),
  });
  await expect(stored.readBlob("../log.json", 0)).rejects.toMatchObject({ code: "blob_not_found" });
  await log.close();
});

test("openStoredLog returns undefined for a directory without a log", () => {
  expect(openStoredLog(memoryDir())).toBeUndefined();
});

test("the history of a log without events is empty", async () => {
  const directory = memoryDir();
  const log = openLog(directory);
  await log.close();
  const page = await openStoredLog(directory)!.history(undefined, 10);
  expect(page).toEqual({ events: [], more: false });
});
