import { expect, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { errorOf } from "../../wire/errors.ts";
import { logClosed } from "../log/log-errors.ts";
import type { Recorder } from "./event-recorder.ts";
import { whenDurable } from "./when-durable.ts";

const then = (): void => expect.unreachable();

/** A log whose disk answers as the test says. */
function stage() {
  const disk = { refusal: errorOf("log_write_failed", "full") as Error | undefined, asked: 0 };
  const recorder = {
    async durable() {
      disk.asked += 1;
      if (disk.refusal) throw disk.refusal;
    },
  } as unknown as Recorder;
  const timers = new HandTimers();
  const pass = async (): Promise<void> => {
    timers.pass(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { disk, recorder, timers, pass };
}

test("whenDurable retries until the disk accepts", async () => {
  const { disk, recorder, timers, pass } = stage();
  let runs = 0;
  await expect(whenDurable(recorder, timers, () => (runs += 1))).rejects.toBe(disk.refusal);
  await pass();
  expect([runs, disk.asked]).toEqual([0, 2]);
  disk.refusal = undefined;
  await pass();
  await pass();
  expect([runs, disk.asked, timers.waiting]).toEqual([1, 3, 0]);
});

test("whenDurable stops when the log is closed", async () => {
  const { disk, recorder, timers, pass } = stage();
  await expect(whenDurable(recorder, timers, then)).rejects.toBe(disk.refusal);
  disk.refusal = logClosed();
  await pass();
  expect([disk.asked, timers.waiting]).toEqual([2, 0]);
  await expect(whenDurable(recorder, timers, then)).rejects.toBe(disk.refusal);
  expect(timers.waiting).toBe(0);
});
