import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { createLogger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/open-log.ts";
import { LogIndex } from "../files/log-index.ts";
import { lockSession } from "../files/session-lock.ts";
import { openSessionLog } from "./open-session-log.ts";

const logger = createLogger({ name: "test" });

/** A log that went from s1 to s2, of which only s1 was noted so far. */
async function stage() {
  const root = memoryDir();
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const places = new LogIndex(root);
  const directory = places.create();
  places.assign("s1", directory);
  const log = openLog(directory, { logId: basename(directory) });
  closeAtEnd(log);
  log.append({ type: "session_changed", session_id: "s2", previous: "s1" });
  await log.durable();
  return { places, directory, log };
}

const closeAtEnd = (log: EventLog): void => onTestFinished(() => log.close());

async function open(places: LogIndex, sessionId: string): Promise<string> {
  const { log, directory } = await openSessionLog(places, sessionId, { logger });
  closeAtEnd(log);
  return directory;
}

test("a log that moved to another id belongs to that one, and the old id begins a new log", async () => {
  const { places, directory, log } = await stage();
  await log.close();
  expect(await open(places, "s1")).not.toBe(directory);
  expect(await open(places, "s2")).toBe(directory);
});

test("a log that the host of another session writes is not touched", async () => {
  const { places, directory, log } = await stage();
  places.assign("s2", directory);
  const lock = await lockSession("s2", "/work");
  onTestFinished(() => lock.release());
  lock.announce({ log_id: log.logId, socket: "/tmp/s2.sock" });
  const before = readFileSync(join(directory, "log.json"), "utf8");
  expect(await open(places, "s1")).not.toBe(directory);
  expect(readFileSync(join(directory, "log.json"), "utf8")).toBe(before);
  expect(places.find("s2")).toBe(directory);
});

test("a session that has a log by now keeps it", async () => {
  const { places, log } = await stage();
  await log.close();
  const own = await open(places, "s2");
  await open(places, "s1");
  expect(places.find("s2")).toBe(own);
});
