import { errorOf } from "../../wire/errors.ts";
import { Holds } from "../holds.ts";
import type { Kind, Operation, Outcome, Store } from "../store.ts";
import { deadDiscard, deadGet, deadList, deadResend } from "./dead-letters.ts";
import { MemoryDisk } from "./disk.ts";
import type { Faults } from "./faults.ts";
import type { Opening } from "./messages.ts";
import { claim, counts, get, history, hold, send, settle } from "./messages.ts";
import { recordGet, recordQuery, write } from "./records.ts";

type Performers = { [K in Kind]: (opening: Opening, operation: Operation<K>) => Outcome<K> };

const onDisk =
  <K extends Kind>(act: (disk: MemoryDisk, operation: Operation<K>) => Outcome<K>) =>
  ({ disk }: Opening, operation: Operation<K>) =>
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

/** A store for tests of what stands on a bus: nothing is durable, and anything can be made to fail. */
export class MemoryStore implements Store {
  readonly #opening: Opening;
  readonly #faults: Faults | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #restarted: (() => void) | undefined;
  #restarting = false;

  constructor({ disk = new MemoryDisk(), maxAttempts, faults }: MemoryStoreOptions) {
    this.#opening = { disk, maxAttempts, holds: new Holds() };
    this.#faults = faults;
  }

  run<K extends Kind>(operation: Operation<K>): Promise<Outcome<K>> {
    if (this.#restarting) return Promise.resolve(this.#perform(operation));
    const done = this.#last.then(() => this.#performWith(operation));
    this.#last = done.catch(() => undefined);
    return done;
  }

  onRestart(call: () => void): void {
    this.#restarted = call;
  }

  capabilities() {
    return { adapter: "memory", powerLossSafe: false, multiHost: false, atomicRecords: true };
  }

  async close(): Promise<void> {
    await this.#last;
  }

  async #performWith<K extends Kind>(operation: Operation<K>): Promise<Outcome<K>> {
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

  #perform<K extends Kind>(operation: Operation<K>): Outcome<K> {
    const performer = performers[operation.kind];
    return performer(this.#opening, operation);
  }

  #crash(): never {
    this.#opening.holds = new Holds();
    // What the bus asks now goes before those who wait.
    this.#restarting = true;
    this.#restarted?.();
    this.#restarting = false;
    throw lost();
  }
}

const lost = () => errorOf("bus_unavailable", "A crash that was asked for.");
