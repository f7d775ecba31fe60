// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pulse } from "./pulse.ts";

/** A socket whose network may be gone: it stays open, and brings nothing. */
class FakeSocket extends EventTarget {
  readonly readyState = 1;
  send(): void {}
  close(): void {}
  says(line: string): void {
    this.dispatchEvent(new MessageEvent("message", { data: line }));
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function connected() {
  const sockets: FakeSocket[] = [];
  const pulse = new Pulse(() => {
    const socket = new FakeSocket();
    sockets.push(socket);
    queueMicrotask(() => socket.dispatchEvent(new Event("open")));
    return socket as unknown as WebSocket;
  });
  const connect = pulse.connect("ws://127.0.0.1:1/ws/session", "key");
  const next = async () => {
    const transport = await connect(new AbortController().signal);
    const heard: string[] = [];
    let isOver = false;
    void (async () => {
      for await (const line of transport) heard.push(JSON.stringify(line));
      isOver = true;
    })();
    return { socket: sockets.at(-1)!, heard, isOver: () => isOver };
  };
  return { pulse, next };
}

test.each([
  { event: "visibilitychange", target: () => document },
  { event: "pageshow", target: () => globalThis },
  { event: "online", target: () => globalThis },
])(
  "a connection on which nothing is heard within 3 s after `$event` ends",
  async ({ event, target }) => {
    const { pulse, next } = await connected();
    const link = await next();
    const ask = vi.fn<() => Promise<never>>(() => new Promise<never>(() => {}));
    const stop = pulse.watch(ask);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([ask.mock.calls.length, link.isOver()]).toEqual([0, false]);
    target().dispatchEvent(new Event(event));
    target().dispatchEvent(new Event(event));
    await vi.advanceTimersByTimeAsync(2_999);
    expect([ask.mock.calls.length, link.isOver()]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(link.isOver()).toBe(true);
    stop();
  },
);

test("a connection that says anything within 3 s stays, and so does one that is newer than the question", async () => {
  const { pulse, next } = await connected();
  const first = await next();
  const stop = pulse.watch(() => new Promise<never>(() => {}));
  globalThis.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(1_000);
  first.socket.says('{"type":"pong"}');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([first.heard.length, first.isOver()]).toEqual([1, false]);
  globalThis.dispatchEvent(new Event("online"));
  const second = await next();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(second.isOver()).toBe(false);
  stop();
});

test("nobody is asked while the page is hidden, or after the watch has ended", async () => {
  const { pulse, next } = await connected();
  await next();
  const ask = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const stop = pulse.watch(ask);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  hidden.mockRestore();
  stop();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(ask).not.toHaveBeenCalled();
});
