import { errorOf } from "../../wire/errors.ts";
import { LeasesAndDelays } from "../leases-and-delays.ts";
import type { Kind, Operation, StoreOutcome, Store } from "../store.ts";
import { deadDiscard, deadGet, deadList, deadResend } from "./dead-letters.ts";
import { MemoryDisk } from "./disk.ts";
import type { Faults } from "./planned-faults.ts";
import type { OpenMemory } from "./messages.ts";
import { claim, counts, get, history, hold, send, settle } from "./messages.ts";
import { recordGet, recordQuery, write } from "./records.ts";

type Performers = {
  [K in Kind]: (opening: OpenMemory, operation: Operation<K>) => StoreOutcome<K>;
};

const onDisk =
  <K extends Kind>(act: (disk: MemoryDisk, operation: Operation<K>) => StoreOutcome<K>) =>
  ({ disk }: OpenMemory, operation: Operation<K>) =>
    act(disk, operation);

const performers: Performers = {
  send,
  claim,
  settle,
  hold,
  get,
  history,
  counts,
  deadList: onDisk(deadList),
  deadGet: onDisk(deadGet),
  deadResend: onDisk(deadResend),
  deadDiscard: onDisk(deadDiscard),
  write: onDisk(write),
  recordGet: onDisk(recordGet),
  recordQuery: onDisk(recordQuery),
};

export interface MemoryStoreOptions {
  disk?: MemoryDisk;
  maxAttempts: number;
  faults?: Faults | undefined;
}

/** A store for tests of the layers above: nothing is durable, and any operation can be made to fail. */
export class MemoryStore implements Store {
  readonly #opening: OpenMemory;
  readonly #faults: Faults | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #restarted: (() => void) | undefined;
  #restarting = false;

  constructor({ disk = new MemoryDisk(), maxAttempts, faults }: MemoryStoreOptions) {
    this.#opening = { disk, maxAttempts, holds: new LeasesAndDelays() };
    this.#faults = faults;
  }

  run<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>> {
    if (this.#restarting) return Promise.resolve(this.#perform(operation));
    const done = this.#last.then(() => this.#performWith(operation));
    this.#last = done.catch(() => undefined);
    return done;
  }

  onRestart(call: () => void): void {
    this.#restarted = call;
  }

  /** Only a process can be deposed, and this memory belongs to one. */
  onDeposed(): void {}

  capabilities() {
    return { adapter: "memory", powerLossSafe: false, multiHost: false, atomicRecords: true };
  }

  async close(): Promise<void> {
    await this.#last;
  }

  async #performWith<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>> {
    const fault = this.#faults?.(operation as Operation);
    if (fault?.kind === "delay") await fault.until;
    if (fault?.kind === "fail") {
      throw errorOf(fault.code ?? "bus_unavailable", "A failure that was asked for.");
    }
    if (fault?.kind === "crash" && fault.when === "before") this.#crash();
    if (fault?.kind === "repeat") this.#perform(operation);
    const outcome = this.#perform(operation);
    if (fault?.kind === "crash") this.#crash();
    if (fault?.kind === "lose_answer") throw lost();
    return outcome;
  }

  #perform<K extends Kind>(operation: Operation<K>): StoreOutcome<K> {
    const performer = performers[operation.kind];
    return performer(this.#opening, operation);
  }

  #crash(): never {
    this.#opening.holds = new LeasesAndDelays();
    // What the bus does now runs before the operations that wait.
    this.#restarting = true;
    this.#restarted?.();
    this.#restarting = false;
    throw lost();
  }
}

const lost = () => errorOf("bus_unavailable", "A crash that was asked for.");
