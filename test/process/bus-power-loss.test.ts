import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { findDamage } from "../../src/bus/sqlite/check-integrity.ts";
import { startSender } from "../support/bus/sender-process.ts";
import type { Step } from "../support/bus/trace.ts";
import { readTrace, straceArguments } from "../support/bus/trace.ts";
import { tempDir } from "../support/temp-dir.ts";

const ID = /^[0-9a-f-]{36}$/;

it.runIf(process.platform === "linux")(
  "a SQLite bus acknowledges nothing before it is on the disk, and a power cut loses nothing",
  async () => {
    const directory = tempDir();
    // With so short a log, SQLite moves it into the database time and again in between.
    const steps = await traceSender(directory, ["2", "100", "100"]);
    const said = steps.filter((step) => step.kind === "said" && ID.test(step.text));
    expect(said).toHaveLength(200);
    expect(unsyncedAcknowledgements(steps)).toEqual([]);
    const moved = steps.filter((step) => step.kind === "write" && step.file.endsWith(".db"));
    expect(moved.length).toBeGreaterThan(10);
    expect(acknowledgementsAfterMoves(steps)).toBeGreaterThan(3);

    const cut = join(directory, "cut");
    let judged = 0;
    for (const [index, disk] of disksAfterCuts(steps)) {
      if (!isWorthJudging(steps, index, judged)) continue;
      judged += 1;
      const acknowledged = idsSaid(steps.slice(0, index));
      for (const files of [disk.onlySynced(), disk.withTornWrites()]) {
        // Before the first acknowledgement nothing is promised, not even a database.
        const path = restore(cut, files);
        const wrong = acknowledged.length > 0 ? findWrong(path, acknowledged) : [];
        expect({ index, wrong }).toEqual({ index, wrong: [] });
      }
    }
    expect(judged).toBeGreaterThan(50);
  },
);

async function traceSender(directory: string, args: readonly string[]): Promise<Step[]> {
  const trace = join(directory, "trace");
  const sender = startSender(
    [join(directory, "bus.db"), ...args],
    ["strace", ...straceArguments(trace)],
  );
  await sender.ended;
  expect(sender.child.exitCode).toBe(0);
  return readTrace(readFileSync(trace, "latin1"));
}

/** Those that left before the end of a sync of the log that came after the write of their message. */
function unsyncedAcknowledgements(steps: readonly Step[]): string[] {
  const early: string[] = [];
  let unsynced = "";
  let synced = "";
  for (const step of steps) {
    if (step.kind === "write" && step.file.endsWith("-wal"))
      unsynced += step.data.toString("latin1");
    if (step.kind === "sync" && step.file.endsWith("-wal")) {
      synced += unsynced;
      unsynced = "";
    }
    if (step.kind === "said" && ID.test(step.text) && !synced.includes(step.text)) {
      early.push(step.text);
    }
  }
  return early;
}

/** How often an acknowledgement was the first after the log was moved: the bus lived on with both. */
function acknowledgementsAfterMoves(steps: readonly Step[]): number {
  let hasMoved = false;
  let acknowledgements = 0;
  for (const step of steps) {
    if (step.kind === "write" && step.file.endsWith(".db")) hasMoved = true;
    if (step.kind !== "said" || !ID.test(step.text)) continue;
    if (hasMoved) acknowledgements += 1;
    hasMoved = false;
  }
  return acknowledgements;
}

type Files = Map<string, Buffer>;

/** A disk that keeps apart what it was told to keep and what it only has in its cache. */
class Disk {
  readonly #cache: Files = new Map();
  readonly #synced: Files = new Map();
  #unsynced: Extract<Step, { kind: "write" }>[] = [];

  take(step: Step): void {
    if (step.kind === "said") return;
    const name = basename(step.file);
    if (step.kind === "write") {
      this.#cache.set(name, patched(this.#cache.get(name), step.offset, step.data));
      this.#unsynced.push(step);
    } else if (step.kind === "sync") {
      const content = this.#cache.get(name);
      if (content) this.#synced.set(name, content);
      this.#unsynced = this.#unsynced.filter(({ file }) => basename(file) !== name);
    } else if (step.kind === "truncate") {
      this.#cache.set(name, (this.#cache.get(name) ?? Buffer.alloc(0)).subarray(0, step.size));
    } else {
      this.#cache.delete(name);
      this.#synced.delete(name);
    }
  }

  onlySynced(): Files {
    return new Map(this.#synced);
  }

  /** Half of what was in the cache has reached the disk: every other write, the last one torn. */
  withTornWrites(): Files {
    const files = this.onlySynced();
    const reached = this.#unsynced.filter((_, index) => index % 2 === 0);
    for (const [index, { file, offset, data }] of reached.entries()) {
      const name = basename(file);
      const part = index === reached.length - 1 ? data.subarray(0, data.length >> 1) : data;
      files.set(name, patched(files.get(name), offset, part));
    }
    return files;
  }
}

function patched(content: Buffer | undefined, offset: number, data: Buffer): Buffer {
  const size = Math.max(content?.length ?? 0, offset + data.length);
  const whole = Buffer.alloc(size);
  content?.copy(whole);
  data.copy(whole, offset);
  return whole;
}

function* disksAfterCuts(steps: readonly Step[]): Generator<[index: number, disk: Disk]> {
  const disk = new Disk();
  for (const [index, step] of steps.entries()) {
    disk.take(step);
    yield [index + 1, disk];
  }
}

/** Around each acknowledgement, and in the midst of moving the log, but not at every single write. */
function isWorthJudging(steps: readonly Step[], index: number, judged: number): boolean {
  const step = steps[index - 1];
  if (step?.kind === "sync") return true;
  if (step?.kind === "said") return index % 4 === 0;
  if (step?.kind === "write" && step.file.endsWith(".db")) return index % 7 === 0;
  return judged < 400 && index % 97 === 0;
}

const idsSaid = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => (step.kind === "said" && ID.test(step.text) ? [step.text] : []));

function restore(directory: string, files: Files): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const [name, content] of files) writeFileSync(join(directory, name), content);
  return join(directory, "bus.db");
}

function findWrong(path: string, ids: readonly string[]): string[] {
  const db = new DatabaseSync(path);
  const rows = db.prepare("SELECT id FROM messages").all() as { id: string }[];
  db.close();
  const there = new Set(rows.map(({ id }) => id));
  return [...ids.filter((id) => !there.has(id)), ...findDamage(path)];
}
