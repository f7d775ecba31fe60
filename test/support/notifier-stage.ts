import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { NotifierOptions, Report } from "../../src/notify/notifier.ts";
import { Notifier } from "../../src/notify/notifier.ts";
import { tempDir } from "./temp-dir.ts";

/** A notifier in this process; `end` is what a person does with Ctrl+C. */
export function startNotifier(options: Pick<NotifierOptions, "source"> & Partial<NotifierOptions>) {
  const reports: Report[] = [];
  const stop = new AbortController();
  const notifier = new Notifier({
    sink: { deliver: async () => ({ kind: "told" }) },
    ledgerFile: join(tempDir(), "ledger.json"),
    linkTo: async () => undefined,
    report: (report) => reports.push(report),
    settleMs: 20,
    backOff: { firstDelayMs: 5, maxDelayMs: 20, factor: 2 },
    ...options,
  });
  const running = notifier.run(stop.signal);
  running.catch(() => {});
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(() => end().catch(() => {}));
  const titles = () =>
    reports.map((each) => `${each.type}: ${"news" in each ? each.news.title : ""}`);
  return { reports, running, end, titles };
}

export async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 10_000, interval: 5 }).toBe(true);
}
