import type * as nodeFs from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "./open-log.ts";

// A disk that is full or not, as the test wants, and syncs that end when it wants.

type Done = (error: Error | null) => void;
const disk = vi.hoisted(() => ({ full: false, calls: 0, syncs: undefined as Done[] | undefined }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  return {
    ...fs,
    writeSync: (fd: number, bytes: Uint8Array, from: number, length: number, at: number) => {
      disk.calls += 1;
      if (disk.full) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      return fs.writeSync(fd, bytes, from, length, at);
    },
    fdatasync: (fd: number, done: Done) => {
      disk.calls += 1;
      if (disk.syncs) disk.syncs.push(done);
      else fs.fdatasync(fd, done);
    },
  };
});

beforeEach(() => Object.assign(disk, { full: false, calls: 0, syncs: undefined }));

const message = { type: "user_message", id: "m1", text: "hi" } as const;
const closed = { code: "log_write_failed", data: { closed: true } };

test("a log that was closed on a full disk refuses, and does not use its descriptor", async () => {
  const log = openLog(memoryDir());
  disk.full = true;
  log.append(message);
  await expect(log.close()).rejects.toMatchObject({ data: { system_code: "ENOSPC" } });
  // From now on the number may be that of any other file.
  Object.assign(disk, { full: false, calls: 0 });
  await expect(log.durable()).rejects.toMatchObject(closed);
  expect(() => log.append(message)).toThrow(expect.objectContaining(closed));
  expect(disk.calls).toBe(0);
});

test("an event that was durable before the log was closed stays durable", async () => {
  const log = openLog(memoryDir());
  log.append(message);
  await log.close();
  await expect(log.durable()).resolves.toBeUndefined();
});

test("a sync that ends after the close has no effect", async () => {
  const log = openLog(memoryDir());
  const syncs: Done[] = (disk.syncs = []);
  log.append(message);
  const early = log.durable();
  log.append({ ...message, id: "m2" });
  // Written, and to be synced after the first.
  await new Promise((resolve) => setImmediate(resolve));
  disk.full = true;
  log.append({ ...message, id: "m3" });
  await expect(log.close()).rejects.toMatchObject({ code: "log_write_failed" });
  await expect(early).rejects.toMatchObject({ code: "log_write_failed" });
  disk.calls = 0;
  for (const done of syncs) done(null);
  expect(disk.calls).toBe(0);
});
