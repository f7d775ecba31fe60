import { spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { listen } from "../../net/listen.ts";
import { pidNamespace, processId } from "../../proc/process-identity.ts";
import type { LockRecord } from "./lock-record.ts";
import { heldSessions, lockSession } from "./session-lock.ts";

const id = "0b5f8f0e-6a4e-4f0e-9d35-1a2b3c4d5e6f";

/** As if that process had taken the lock. */
function plant(directory: string, pid: number, facts: Partial<LockRecord> = {}): void {
  const record: LockRecord = {
    session_id: id,
    pid,
    process: processId(pid),
    pid_namespace: pidNamespace(),
    cwd: "/work",
    socket: "/tmp/other.sock",
    started_at: new Date().toISOString(),
    ...facts,
  };
  const name = `${record.session_id}@${record.pid_namespace}-${record.process}.json`;
  writeFileSync(join(directory, name), JSON.stringify(record));
}

async function otherProcess() {
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { pid: child.pid ?? 0, end };
}

test("a session that a living process holds is refused, with its pid and socket", async () => {
  const directory = tempDir();
  const { pid } = await otherProcess();
  plant(directory, pid);
  await expect(lockSession(id, "/here", directory)).rejects.toMatchObject({
    code: "session_in_use",
    message: `Session ${id} is in use by process ${pid} in /work; its socket is /tmp/other.sock.`,
    hint: expect.stringContaining("/tmp/other.sock"),
    data: { session_id: id, pid, socket: "/tmp/other.sock" },
  });
  expect(readdirSync(directory)).toHaveLength(1);
});

test("a host that is just starting is waited for, and then refused as well", async () => {
  const directory = tempDir();
  const { pid } = await otherProcess();
  plant(directory, pid, { socket: undefined });
  await expect(lockSession(id, "/here", directory)).rejects.toMatchObject({
    code: "session_in_use",
    message: expect.stringContaining("it is just starting"),
  });
});

test("the lock of a killed process does not count", async () => {
  const directory = tempDir();
  const { pid, end } = await otherProcess();
  plant(directory, pid);
  await end();
  const lock = await lockSession(id, "/here", directory);
  expect(readdirSync(directory)).toHaveLength(1);
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("a reused pid is another process", async () => {
  const directory = tempDir();
  const { pid } = await otherProcess();
  plant(directory, pid, { process: `${pid}-1` });
  await expect(lockSession(id, "/here", directory)).resolves.toBeDefined();
});

test("a process of another container holds its session until its socket is known to be dead", async () => {
  const [directory, sockets] = [tempDir(), tempDir()];
  const [path, socket] = [join(sockets, "a.sock"), join(sockets, "b.sock")];
  const listener = await listen({ path, onConnection: () => {} });
  linkSync(path, socket);
  plant(directory, process.pid, { pid_namespace: "1", socket });
  await expect(lockSession(id, "/here", directory)).rejects.toMatchObject({
    code: "session_in_use",
    data: { socket },
  });
  await listener.close();
  await expect(lockSession(id, "/here", directory)).resolves.toBeDefined();
});

test.each([
  ["whose socket is out of sight", "/tmp/of-another-container/a.sock"],
  ["that is just starting", undefined],
])(
  "a process of another container %s holds its session, until a person removes the lock",
  async (_, socket) => {
    const directory = tempDir();
    plant(directory, 7, { process: "7-100", pid_namespace: "1", socket });
    const [name = ""] = readdirSync(directory);
    const file = join(directory, name);
    await expect(lockSession(id, "/here", directory)).rejects.toMatchObject({
      code: "session_in_use",
      message: expect.stringContaining("process 7 of another container"),
      hint: expect.stringContaining(file),
    });
    expect(await heldSessions(directory)).toMatchObject([{ pid: 7 }]);
    expect(readdirSync(directory)).toEqual([name]);
    rmSync(file);
    await expect(lockSession(id, "/here", directory)).resolves.toBeDefined();
  },
);

test("another session is another lock", async () => {
  const directory = tempDir();
  const { pid } = await otherProcess();
  plant(directory, pid, { session_id: "9b5f8f0e-6a4e-4f0e-9d35-1a2b3c4d5e6f" });
  const lock = await lockSession(id, "/here", directory);
  lock.announce({ log_id: "log", socket: "/tmp/mine.sock" });
  const held = await heldSessions(directory);
  expect(held.map(({ pid: holder, socket }) => [holder, socket])).toEqual(
    expect.arrayContaining([
      [pid, "/tmp/other.sock"],
      [process.pid, "/tmp/mine.sock"],
    ]),
  );
});

test("heldSessions removes locks of dead processes, and keeps other files", async () => {
  const directory = tempDir();
  const { pid, end } = await otherProcess();
  plant(directory, pid);
  writeFileSync(join(directory, "notes.json"), "mine");
  await end();
  expect(await heldSessions(directory)).toEqual([]);
  expect(readdirSync(directory)).toEqual(["notes.json"]);
});

test("a lock whose directory was removed is restored, and still holds", async () => {
  const directory = join(tempDir(), "locks");
  mkdirSync(directory, { mode: 0o700 });
  const lock = await lockSession(id, "/here", directory, 10);
  lock.announce({ socket: "/tmp/mine.sock" });
  const putBack = new Promise<void>((resolve) => (lock.onPutBack = resolve));
  rmSync(directory, { recursive: true });
  await putBack;
  expect(await heldSessions(directory)).toMatchObject([
    { session_id: id, socket: "/tmp/mine.sock" },
  ]);
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
});
