import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { defaultRetryPolicy } from "../wire/timeouts.ts";
import { dial } from "./connect-with-retries.ts";
import { listen } from "./listen.ts";
import { MAX_SOCKET_PATH_BYTES } from "./socket-file/socket-path.ts";

const TRY_TIMEOUT_MS = 123;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Nothing waits in these tests: each wait is recorded and given to `onWait`, tries never time out. */
function stubTimers(onWait: (resume: () => void) => void): number[] {
  const waits: number[] = [];
  vi.stubGlobal("setTimeout", (callback: () => void, ms: number) => {
    if (ms === TRY_TIMEOUT_MS) return;
    waits.push(ms);
    onWait(callback);
  });
  return waits;
}

test("connects at once to a server that is there", async () => {
  await using listener = await listen({ onConnection: (socket) => socket.end() });
  const socket = await dial(listener.path);
  expect(socket.readyState).toBe("open");
  socket.destroy();
});

describe("by default", () => {
  test("tries 5 times, waiting 1, 2, 4 and 8 seconds and a random part more", async () => {
    const path = join(tempDir(), "nobody.sock");
    const waits = stubTimers((resume) => setImmediate(resume));
    vi.spyOn(Math, "random").mockReturnValue(0.25);
    await expect(dial(path, { timeoutMs: TRY_TIMEOUT_MS })).rejects.toMatchObject({
      code: "connection_failed",
      message: `Could not connect to ${path} after 5 tries: connect ENOENT ${path}.`,
      data: { path, tries: 5 },
      cause: { code: "ENOENT" },
    });
    expect(waits).toEqual([1250, 2500, 5000, 10_000]);
  });

  test("waits at most 60 seconds", async () => {
    const waits = stubTimers((resume) => setImmediate(resume));
    const policy = { ...defaultRetryPolicy, tries: 9 };
    await expect(
      dial(join(tempDir(), "nobody.sock"), { timeoutMs: TRY_TIMEOUT_MS, policy }),
    ).rejects.toMatchObject({ data: { tries: 9 } });
    expect(waits.at(-1)).toBe(60_000);
  });
});

test("reaches a server that comes up between two tries", async () => {
  const path = join(tempDir(), "late.sock");
  const starting = Promise.withResolvers<AsyncDisposable>();
  const waits = stubTimers((resume) => {
    starting.resolve(listen({ path, onConnection: () => {} }));
    void starting.promise.then(resume);
  });
  const socket = await dial(path, { timeoutMs: TRY_TIMEOUT_MS });
  expect(waits).toHaveLength(1);
  socket.destroy();
  await (await starting.promise)[Symbol.asyncDispose]();
});

test("a dead socket is retried", async () => {
  const listener = await listen({ path: join(tempDir(), "a.sock"), onConnection: () => {} });
  linkSync(listener.path, `${listener.path}.dead`);
  await listener.close();
  const waits = stubTimers((resume) => setImmediate(resume));
  await expect(dial(`${listener.path}.dead`, { timeoutMs: TRY_TIMEOUT_MS })).rejects.toMatchObject({
    cause: { code: "ECONNREFUSED" },
  });
  expect(waits).toHaveLength(4);
});

test("an error that waiting cannot mend is not retried", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  await expect(dial(join(file, "a.sock"))).rejects.toMatchObject({
    code: "connection_failed",
    message: expect.stringContaining("after 1 try: connect ENOTDIR"),
  });
});

test("a try that takes too long is cancelled and repeated", async () => {
  await using listener = await listen({ onConnection: () => {} });
  vi.stubGlobal("setTimeout", (callback: () => void) => queueMicrotask(callback));
  await expect(dial(listener.path, { timeoutMs: TRY_TIMEOUT_MS })).rejects.toMatchObject({
    message: expect.stringContaining(`after 5 tries: no answer within ${TRY_TIMEOUT_MS} ms`),
    cause: { code: "ETIMEDOUT" },
  });
});

test("a path that is too long is refused before any try", async () => {
  const path = `/${"a".repeat(MAX_SOCKET_PATH_BYTES)}`;
  await expect(dial(path)).rejects.toMatchObject({ code: "socket_path_invalid" });
});

describe("abort", () => {
  const reason = new Error("changed my mind");

  test("before the first try", async () => {
    await expect(dial("/nowhere", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("during a try", async () => {
    await using listener = await listen({ onConnection: () => {} });
    const controller = new AbortController();
    const dialling = dial(listener.path, { signal: controller.signal });
    controller.abort(reason);
    await expect(dialling).rejects.toBe(reason);
  });

  test("during a wait", async () => {
    const controller = new AbortController();
    stubTimers(() => setImmediate(() => controller.abort(reason)));
    const dialling = dial(join(tempDir(), "nobody.sock"), {
      timeoutMs: TRY_TIMEOUT_MS,
      signal: controller.signal,
    });
    await expect(dialling).rejects.toBe(reason);
  });
});
