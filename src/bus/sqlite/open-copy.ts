import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onExit } from "../../net/clean-up-at-exit.ts";
import { systemCode } from "../../files/system-error-code.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Bus } from "../bus.ts";
import { openSqliteBus } from "./open-sqlite-bus.ts";

const TRIES = 10;
const AGAIN_MS = 100;
/** A killed process leaves its newest writes in the log. */
const SUFFIXES = ["", "-wal"] as const;

export interface BusCopy {
  readonly bus: Bus;
  /** Closes the copy and removes it. */
  close(): Promise<void>;
}

/**
 * Opens a copy of a bus for reading: the bus itself is neither locked nor changed, so that its next owner can open it
 * at any time.
 *
 * @throws `bus_in_use` when it keeps changing because another process has opened it; `bus_invalid`; the system's
 * error.
 */
export async function openSqliteCopy(path: string): Promise<BusCopy> {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-read-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const forget = onExit(remove);
  const end = (): void => {
    remove();
    forget();
  };
  try {
    await copyAtRest(path, join(directory, "bus.db"));
    const bus = await openSqliteBus(join(directory, "bus.db"), { isCopy: true });
    return { bus, close: () => bus.close().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Uses a copy of a bus, and removes it. @throws as `openSqliteCopy`. */
export async function withCopyOf<Result>(
  path: string,
  use: (copy: string) => Result,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-read-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const forget = onExit(remove);
  try {
    const copy = join(directory, "bus.db");
    await copyAtRest(path, copy);
    return use(copy);
  } finally {
    remove();
    forget();
  }
}

/** Copies both files in the state of one moment, without a write in between. */
async function copyAtRest(from: string, to: string): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const before = SUFFIXES.map((suffix) => stampOf(from + suffix));
    for (const suffix of SUFFIXES) copyIfThere(from + suffix, to + suffix);
    const after = SUFFIXES.map((suffix) => stampOf(from + suffix));
    if (before.join() === after.join()) return;
    await delay(AGAIN_MS);
  }
  throw errorOf("bus_in_use", `${from} is being written.`);
}

function copyIfThere(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "none";
}
