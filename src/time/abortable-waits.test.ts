import { describe, expect, it } from "vitest";
import { HandTimers } from "../../test/support/hand-timers.ts";
import { pause, unlessAborted, untilAborted } from "./abortable-waits.ts";

/** A signal that counts who listens to it. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  return { controller, signal, listeners: () => listeners };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.finally(() => (settled = true)).catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("pause", () => {
  it("lasts for the time", async () => {
    const timers = new HandTimers();
    const paused = pause(10, undefined, timers);
    timers.pass(9);
    expect(await isSettled(paused)).toBe(false);
    timers.pass(1);
    expect(await isSettled(paused)).toBe(true);
  });

  it("ends with the abort, before it or during it, and leaves neither timer nor listener", async () => {
    const timers = new HandTimers();
    const { controller, signal, listeners } = countedSignal();
    const paused = pause(10, signal, timers);
    controller.abort();
    await paused;
    await pause(10, signal, timers);
    expect([timers.waiting, listeners()]).toEqual([0, 0]);
  });

  it("takes its listener away when the time is over", async () => {
    const timers = new HandTimers();
    const { signal, listeners } = countedSignal();
    const paused = pause(10, signal, timers);
    timers.pass(10);
    await paused;
    expect(listeners()).toBe(0);
  });
});

describe("untilAborted", () => {
  it("resolves with the abort, also when that was before", async () => {
    const controller = new AbortController();
    const aborted = untilAborted(controller.signal);
    expect(await isSettled(aborted)).toBe(false);
    controller.abort();
    expect(await isSettled(aborted)).toBe(true);
    expect(await isSettled(untilAborted(controller.signal))).toBe(true);
  });
});

describe("unlessAborted", () => {
  it("settles as the work does, and leaves no listener", async () => {
    const { signal, listeners } = countedSignal();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    expect(listeners()).toBe(0);
  });

  it("rejects with the signal's reason when the abort comes first, also when it came before", async () => {
    const { controller, signal, listeners } = countedSignal();
    const work = unlessAborted(new Promise(() => {}), signal);
    controller.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
    await expect(unlessAborted(new Promise(() => {}), signal)).rejects.toThrow("enough");
    expect(listeners()).toBe(0);
  });
});
