import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "./open-log.ts";
import { eventsOf, foldOf, hear, textOf, wholeLog } from "../../../test/support/log-stage.ts";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { stateToJson } from "../../session-state/state-json.ts";

test("a session's log on a full disk loses nothing, refuses messages, and goes on when there is room", async (context) => {
  const { directory: disk, resize } = mountSmallDisk(context, "512k");
  const directory = join(disk, "log");
  const errors: string[] = [];
  const log = openLog(directory, {
    maxSegmentBytes: 100_000,
    onWriteError: (e) => errors.push(e.code),
  });
  const heard = hear(log);
  log.append({ type: "user_message", id: "m0", text: "before" });
  await log.durable();

  writeFileSync(join(disk, "ballast"), Buffer.alloc(440_000));
  const turn_id = "t1";
  while (errors.length === 0) {
    log.append({ type: "text_delta", turn_id, block: 0, text: "x".repeat(1000) });
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (let count = 0; count < 500; count += 1) {
    log.append({ type: "text_delta", turn_id, block: 0, text: `${count}`.padStart(1000) });
  }
  // A payload that goes beside the log waits as well.
  log.append({
    type: "tool_result",
    request_id: "r",
    output: "y".repeat(300_000),
    is_error: false,
  });
  log.append({ type: "user_message", id: "m1", text: "while it is full" });
  await expect(log.durable()).rejects.toMatchObject({
    code: "log_write_failed",
    data: { system_code: "ENOSPC" },
  });
  expect(log.publishedSeq).toBeLessThan(log.lastSeq);
  const told = eventsOf(textOf(heard));
  expect(told.at(-1)?.seq).toBe(log.publishedSeq);

  // What was told is what a crash at this moment would leave.
  expect(wholeLog(directory).startsWith(textOf(heard))).toBe(true);
  resize("8m");
  rmSync(join(disk, "ballast"));
  await log.durable();
  await log.close();

  const whole = wholeLog(directory);
  expect(textOf(heard)).toBe(whole);
  const events = eventsOf(whole);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  // Once as it happened; the snapshot of the next segment repeats it.
  const notices = eventsOf(textOf(heard)).filter(({ type }) => type === "notice");
  expect(notices[0]).toMatchObject({ code: "log_write_failed" });
  expect(new Set(notices.map((notice) => JSON.stringify({ ...notice, seq: 0 }))).size).toBe(1);
  const again = openLog(directory);
  expect(stateToJson(again.state)).toEqual(stateToJson(foldOf(events)));
  expect([...again.state.acceptedIds]).toEqual(["m0", "m1"]);
  await again.close();
});
