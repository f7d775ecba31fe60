import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "./open-log.ts";

const accept = (log: ReturnType<typeof openLog>, id: string) =>
  log.append({ type: "user_message", id, text: `words of ${id}` });

test("a log whose directory is removed is restored with all of its newest file, and a notice says so", async () => {
  const directory = join(tempDir(), "log");
  const log = openLog(directory, { logId: "L" });
  accept(log, "before");
  await log.durable();
  rmSync(directory, { recursive: true });
  accept(log, "after");
  await log.durable();
  await log.close();

  const types = readFileSync(join(directory, "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toEqual(["user_message", "user_message", "notice"]);
  const again = openLog(directory);
  onTestFinished(() => again.close());
  expect(again).toMatchObject({ logId: "L", epoch: 2 });
  expect([...again.state.acceptedIds]).toEqual(["before", "after"]);
});

test("deltas that were written to a removed log are restored with the next event that must last", async () => {
  const directory = join(tempDir(), "log");
  const log = openLog(directory);
  onTestFinished(() => log.close());
  accept(log, "before");
  await log.durable();
  rmSync(directory, { recursive: true });
  const published = Promise.withResolvers<void>();
  const stop = log.subscribe(() => published.resolve());
  log.append({ type: "text_delta", turn_id: "t1", block: 0, text: "meanwhile" });
  await published.promise;
  stop();
  expect(existsSync(directory)).toBe(false);
  accept(log, "after");
  await log.durable();
  const text = readFileSync(join(directory, "events.jsonl"), "utf8");
  expect(text.match(/words of before|meanwhile|words of after|log_repaired/g)).toEqual([
    "words of before",
    "meanwhile",
    "words of after",
    "log_repaired",
  ]);
});

test("a message is refused while the log's directory is removed and cannot be created", async () => {
  const place = join(tempDir(), "place");
  const directory = join(place, "log");
  const log = openLog(directory, { onWriteError: () => {} });
  onTestFinished(() => log.close());
  rmSync(place, { recursive: true });
  writeFileSync(place, "in the way");
  accept(log, "a");
  await expect(log.durable()).rejects.toMatchObject({ code: "log_write_failed" });
  rmSync(place);
  await log.durable();
  expect(readFileSync(join(directory, "events.jsonl"), "utf8")).toContain("words of a");
});
