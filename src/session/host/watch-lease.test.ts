import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { sinceBootMs } from "../../proc/time-since-boot.ts";
import { watchLease } from "./watch-lease.ts";

function watched() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const file = join(tempDir(), "lease");
  const onOver = vi.fn<() => void>();
  return {
    file,
    onOver,
    write: (fromNowMs: number) => writeFileSync(file, `${sinceBootMs() + fromNowMs}\n`),
  };
}

test("watchLease calls back once, when the time in the file is over", () => {
  const { file, onOver, write } = watched();
  write(60_000);
  watchLease(file, onOver);
  vi.advanceTimersByTime(5000);
  expect(onOver).not.toHaveBeenCalled();
  write(-1);
  vi.advanceTimersByTime(5000);
  expect(onOver).toHaveBeenCalledOnce();
});

test("watchLease calls back when the file is gone", () => {
  const { file, onOver, write } = watched();
  write(60_000);
  watchLease(file, onOver);
  rmSync(file);
  vi.advanceTimersByTime(1000);
  expect(onOver).toHaveBeenCalledOnce();
});
