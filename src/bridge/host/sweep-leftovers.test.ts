import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { MCP_CONFIG_NAME, schemaName, socketName } from "./bridge-file-names.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

const isRoot = process.getuid?.() === 0;

/** A private directory as `listen` makes it. */
function privateDirectory(base: string, random = "abc123"): string {
  const directory = join(base, `switchboard-${random}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

async function live(path: string): Promise<Listener> {
  const listener = await listen({ path, onConnection: () => {} });
  onTestFinished(() => listener.close());
  return listener;
}

/** What a killed process leaves: a second name outlives the listener that is closed. */
async function leaveDeadSocket(path: string): Promise<void> {
  const listener = await live(`${path}.old`);
  linkSync(listener.path, path);
  await listener.close();
}

async function leaveHost(directory: string): Promise<string> {
  const id = randomUUID();
  await leaveDeadSocket(join(directory, socketName(id)));
  writeFileSync(join(directory, schemaName(id)), "[]");
  writeFileSync(join(directory, MCP_CONFIG_NAME), "{}");
  return id;
}

/** Makes the newborn old. */
const sweep = (base: string) => sweepLeftovers({ bases: [base], newbornMs: 0 });

test("sweepLeftovers removes the socket, files and directory of a dead host", async () => {
  const base = tempDir();
  const directory = privateDirectory(base);
  const id = await leaveHost(directory);
  // Killed amid a change of its tools.
  writeFileSync(join(directory, `${schemaName(id)}.${randomUUID()}`), "[");
  await sweep(base);
  expect(readdirSync(base)).toEqual([]);
});

test("sweepLeftovers removes an empty private directory", async () => {
  const base = tempDir();
  privateDirectory(base);
  await sweep(base);
  expect(readdirSync(base)).toEqual([]);
});

test("sweepLeftovers keeps a living host beside a dead one", async () => {
  const base = tempDir();
  const directory = privateDirectory(base);
  const [id] = [randomUUID(), await leaveHost(directory)];
  await live(join(directory, socketName(id)));
  writeFileSync(join(directory, schemaName(id)), "[]");
  await sweep(base);
  expect(readdirSync(directory).sort()).toEqual([socketName(id), schemaName(id)].sort());
});

test("sweepLeftovers keeps what is not certainly a dead host's", async () => {
  const base = tempDir();
  const directory = privateDirectory(base);
  const [plain, other] = [socketName(randomUUID()), "switchboard.sock"];
  writeFileSync(join(directory, plain), "no socket");
  await leaveDeadSocket(join(directory, other));
  // Another process removed its socket; the host may live.
  const lonely = schemaName(randomUUID());
  writeFileSync(join(directory, lonely), "[]");
  // Fixed paths carry the host's name.
  await leaveDeadSocket(join(directory, socketName("shop")));
  await sweep(base);
  const stayed = [plain, other, lonely, socketName("shop")];
  expect(readdirSync(directory).sort()).toEqual(stayed.sort());
});

test("sweepLeftovers does not enter directories of other names, or links", async () => {
  const base = tempDir();
  const other = join(base, "switchboard-demo-abc123");
  mkdirSync(other);
  await leaveHost(other);
  symlinkSync(other, join(base, "switchboard-abc124"));
  const before = readdirSync(base, { recursive: true });
  await sweep(base);
  expect(readdirSync(base, { recursive: true })).toEqual(before);
});

test("sweepLeftovers keeps a socket that was just made and may not listen yet", async () => {
  const base = tempDir();
  const directory = privateDirectory(base);
  privateDirectory(base, "empty1");
  const id = await leaveHost(directory);
  const before = readdirSync(base, { recursive: true });
  await sweepLeftovers({ bases: [base] });
  expect(readdirSync(base, { recursive: true })).toEqual(before);

  for (const path of [join(directory, socketName(id)), join(base, "switchboard-empty1")]) {
    utimesSync(path, Date.now() / 1000 - 6, Date.now() / 1000 - 6);
  }
  await sweepLeftovers({ bases: [base] });
  expect(readdirSync(base)).toEqual([]);
});

test("sweepLeftovers keeps a directory that holds something else, and removes the others", async () => {
  const base = tempDir();
  const full = privateDirectory(base, "aaaaaa");
  await leaveHost(full);
  writeFileSync(join(full, "note.txt"), "mine");
  await leaveHost(privateDirectory(base, "bbbbbb"));
  await sweep(base);
  expect(readdirSync(base, { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
    "switchboard-aaaaaa",
    "switchboard-aaaaaa/note.txt",
  ]);
});

test.skipIf(isRoot)("sweepLeftovers removes the others when one cannot be removed", async () => {
  const base = tempDir();
  const stuck = privateDirectory(base, "aaaaaa");
  await leaveHost(stuck);
  chmodSync(stuck, 0o500);
  onTestFinished(() => chmodSync(stuck, 0o700));
  await leaveHost(privateDirectory(base, "bbbbbb"));
  await sweep(base);
  expect(readdirSync(base)).toEqual(["switchboard-aaaaaa"]);
});

test("sweepLeftovers ignores a base that does not exist, and files that vanish meanwhile", async () => {
  const base = tempDir();
  for (const random of ["aaaaaa", "bbbbbb", "cccccc"]) {
    await leaveHost(privateDirectory(base, random));
  }
  await Promise.all([sweep(base), sweep(base), sweep(join(base, "missing"))]);
  expect(existsSync(base)).toBe(true);
  expect(readdirSync(base)).toEqual([]);
});
