import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { Bus } from "../../src/bus/bus.ts";
import { findDamage } from "../../src/bus/sqlite/check-integrity.ts";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import { makeMessage } from "../support/bus/messages.ts";
import { startSender } from "../support/bus/sender-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const rounds = Number(process.env["BUS_KILL_ROUNDS"] ?? 3);

it("a SQLite bus has every acknowledged message, once and in order, after kill -9", async () => {
  const path = join(tempDir(), "bus.db");
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sender = startSender([path, String([1, 16, 64][round % 3])]);
    await sender.untilAcknowledged(50 + 37 * round);
    sender.child.kill("SIGKILL");
    await sender.ended;
    acknowledged.push(...sender.acknowledged());
    expect(findDamage(path)).toEqual([]);
  }
  const bus = await open(path);
  const deliveries = await bus.claim("bob", { max: 1_000_000, maxBytes: Infinity });
  const ids = deliveries.map(({ message }) => message.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(50 * rounds);
  // What was sent but not acknowledged may be there too: at most one for each sender and round.
  expect(ids.length - acknowledged.length).toBeLessThanOrEqual(64 * rounds);
  const [first] = deliveries;
  expect(first?.message.content).toBe("0 0");
});

it("a SQLite bus refuses a second owner with bus_in_use, in this process and in another", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  await expect(openSqliteBus(path)).rejects.toMatchObject({ code: "bus_in_use", data: { path } });
  const other = startSender([path, "1", "1"], ["timeout", "60"]);
  await other.ended;
  expect(other.child.exitCode).not.toBe(0);
  expect(other.acknowledged()).toEqual([]);
  expect(() => findDamage(path)).toThrow(expect.objectContaining({ code: "bus_in_use" }));
  expect(await bus.send(makeMessage())).toMatchObject({ duplicate: false });
  await bus.close();
  const next = await open(path);
  expect(await next.counts()).toEqual({ bob: 1 });
});

it("a SQLite bus keeps its file unreadable for other users", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  await bus.send(makeMessage());
  for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => statSync(`${path}-shm`)).toThrow("ENOENT");
});

it("openSqliteBus says what is wrong with a file that is no bus", async () => {
  const directory = tempDir();
  const noise = join(directory, "noise.db");
  writeFileSync(noise, "no database ".repeat(1_000));
  await expect(openSqliteBus(noise)).rejects.toMatchObject({ code: "bus_invalid" });
  const newer = join(directory, "newer.db");
  const db = new DatabaseSync(newer);
  db.exec("PRAGMA user_version = 999");
  db.close();
  await expect(openSqliteBus(newer)).rejects.toMatchObject({ code: "bus_invalid" });
  const nowhere = join(directory, "no", "such", "bus.db");
  await expect(openSqliteBus(nowhere)).rejects.toMatchObject({ code: "bus_unavailable" });
});

it("a SQLite bus does not keep an idle process alive", () => {
  const path = join(tempDir(), "bus.db");
  const source = new URL("../../src/bus/sqlite/open-sqlite-bus.ts", import.meta.url);
  const program = `import { openSqliteBus } from ${JSON.stringify(source.href)};
    const bus = await openSqliteBus(${JSON.stringify(path)});
    console.log(await bus.counts());`;
  const args = ["--input-type=module", "--eval", program];
  const run = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 0, stdout: "{}\n" });
  expect(findDamage(path)).toEqual([]);
});

async function open(path: string): Promise<Bus> {
  const bus = await openSqliteBus(path);
  onTestFinished(() => bus.close());
  return bus;
}
