import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Kind, Operation, StoreOutcome, Store } from "../store.ts";
import { DatabaseThread, failureToError } from "./database-thread.ts";
import type { ThreadAnswer, ThreadRequest, WorkerSettings } from "./thread-messages.ts";

/** How many operations may wait for the disk; more are refused with `queue_full`. */
const MAX_WAITING = 50_000;

interface Waiter {
  resolve(outcome: StoreOutcome): void;
  reject(error: unknown): void;
}

/**
 * A store that works in a thread, so that the main loop never waits for the disk. Operations of one turn of the loop
 * are sent together. When the thread dies, waiting callers get an error, and the next operation opens the database
 * again.
 */
export class SqliteStore implements Store {
  readonly #settings: WorkerSettings;
  readonly #waiting = new Map<number, Waiter>();
  #thread: DatabaseThread | undefined;
  #opening: Promise<void> | undefined;
  #unsent: ThreadRequest[] = [];
  #lastNumber = 0;
  #restarted: (() => void) | undefined;
  #deposed: ((by: string) => void) | undefined;
  #promises: ReturnType<Store["capabilities"]> | undefined;
  #office: { seq: number; epoch: number } | undefined;
  #closed = false;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  /** Fails as `DatabaseThread.open` does. */
  async open(): Promise<void> {
    this.#thread = await DatabaseThread.open(this.#settingsNow(), {
      onOpened: ({ promises, office }) => {
        this.#promises = promises;
        this.#office = office;
      },
      onDeposed: (by) => this.#deposed?.(by),
      onAnswers: (answers) => this.#settle(answers),
      onDeath: (error) => this.#died(error),
    });
    this.#thread.keepAlive(this.#waiting.size > 0);
  }

  run<K extends Kind>(operation: Operation<K>): Promise<StoreOutcome<K>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw errorOf("bus_closed", "The bus is closed.");
      if (this.#waiting.size >= MAX_WAITING) {
        throw errorOf("queue_full", `${MAX_WAITING} operations are already waiting for the disk.`);
      }
      const number = (this.#lastNumber += 1);
      const waiter = { resolve: resolve as Waiter["resolve"], reject };
      if (this.#waiting.size === 0) this.#thread?.keepAlive(true);
      this.#waiting.set(number, waiter);
      this.#unsent.push({ number, operation: operation as Operation });
      if (this.#unsent.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  onRestart(call: () => void): void {
    this.#restarted = call;
  }

  onDeposed(call: (by: string) => void): void {
    this.#deposed = call;
  }

  capabilities() {
    if (!this.#promises) throw errorOf("bus_closed", "The bus is not open.");
    return this.#promises;
  }

  /** Which office this is, by its log; undefined without a log. */
  get epoch(): number | undefined {
    return this.#office?.epoch;
  }

  async close(): Promise<void> {
    this.#flush();
    this.#closed = true;
    await this.#opening;
    await this.#thread?.close();
    this.#died(errorOf("bus_closed", "The bus was closed."));
  }

  /** Opened again, it must not take the team back from another process. */
  #settingsNow(): WorkerSettings {
    const { log } = this.#settings;
    return log
      ? { ...this.#settings, log: { ...log, resumeFrom: this.#office?.seq } }
      : this.#settings;
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    if (!this.#thread) {
      this.#opening ??= this.#reopen().finally(() => (this.#opening = undefined));
      return;
    }
    const questions = this.#unsent;
    this.#unsent = [];
    try {
      this.#thread.tell({ kind: "ask", questions });
    } catch {
      // One of them is not plain data: only that one is refused.
      for (const question of questions) this.#tellAlone(question);
    }
  }

  #tellAlone(question: ThreadRequest): void {
    try {
      this.#thread?.tell({ kind: "ask", questions: [question] });
    } catch (cause) {
      const error = errorOf("not_serialisable", "This is not plain data.", { cause });
      this.#take(question.number)?.reject(error);
    }
  }

  async #reopen(): Promise<void> {
    try {
      await this.open();
      const waiting = this.#unsent;
      this.#unsent = [];
      // The operations of `#restarted` run before those that waited.
      this.#restarted?.();
      this.#unsent.push(...waiting);
      this.#flush();
    } catch (error) {
      this.#fail(error);
    }
  }

  #settle(answers: readonly ThreadAnswer[]): void {
    for (const answer of answers) {
      const waiter = this.#take(answer.number);
      if (answer.failure) waiter?.reject(failureToError(answer.failure, this.#settings.path));
      else waiter?.resolve(answer.outcome);
    }
  }

  #take(number: number): Waiter | undefined {
    const waiter = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#thread?.keepAlive(false);
    return waiter;
  }

  #died(error: ClaudeCodeError): void {
    this.#thread = undefined;
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#unsent = [];
    const waiters = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiter of waiters) waiter.reject(error);
  }
}
