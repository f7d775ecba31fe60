import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { createLogger } from "../../log/logger.ts";
import { openLog } from "../log/open-log.ts";
import { LogIndex } from "../files/log-index.ts";
import { HostLock } from "./host-lock.ts";

const changed = (session_id: string, previous: string) =>
  ({ type: "session_changed", session_id, previous }) as const;

async function stage() {
  const root = memoryDir();
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const logger = createLogger({ name: "test" });
  const error = vi.spyOn(logger, "error");
  const places = new LogIndex(root);
  const directory = places.create();
  places.assign("s1", directory);
  const log = openLog(directory);
  const held = await HostLock.take("s1", "/work", places, logger);
  onTestFinished(async () => {
    await held.release();
    await log.close();
  });
  held.follow(log, directory, { socket: "/tmp/x.sock" });
  return { log, directory, places, entries: join(root, "sessions"), error };
}

test("the log moves along when the session's id changes", async () => {
  const { log, directory, places } = await stage();
  log.append(changed("s2", "s1"));
  await log.durable();
  expect([places.find("s1"), places.find("s2")]).toEqual([undefined, directory]);
});

test("a failure to record the new id is logged once, and retried until it succeeds", async () => {
  const { log, directory, places, entries, error } = await stage();
  rmSync(entries, { recursive: true });
  writeFileSync(entries, "in the way");
  log.append(changed("s2", "s1"));
  await log.durable();
  log.append({ type: "status", state: "running" });
  await log.durable();
  expect(error).toHaveBeenCalledOnce();
  rmSync(entries);
  log.append({ type: "status", state: "idle" });
  await log.durable();
  expect(places.find("s2")).toBe(directory);
});
