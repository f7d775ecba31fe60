import { Worker } from "node:worker_threads";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { StoreFailure } from "../store.ts";
import type { ThreadAnswer, FromWorker, ToWorker, WorkerSettings } from "./thread-messages.ts";

/** Source runs as it is; a built file has its built worker beside it. */
const file = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js",
  import.meta.url,
);

export interface ThreadEvents {
  onOpened(opened: Extract<FromWorker, { kind: "opened" }>): void;
  onAnswers(answers: readonly ThreadAnswer[]): void;
  onDeposed(by: string): void;
  /** It had opened the database, and ended unexpectedly. */
  onDeath(error: ClaudeCodeError): void;
}

/** The thread that owns the database. While idle, it does not keep the process alive. */
export class DatabaseThread {
  readonly #worker: Worker;
  #closed = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Fails with `bus_in_use`, `bus_invalid`, `disk_full` or `bus_unavailable`. */
  static open(settings: WorkerSettings, events: ThreadEvents): Promise<DatabaseThread> {
    const { promise, resolve, reject } = Promise.withResolvers<DatabaseThread>();
    // Flags of this process, such as a loader's, are not for the thread.
    const worker = new Worker(file, { workerData: settings, execArgv: [], name: "bus" });
    const thread = new DatabaseThread(worker);
    let opened = false;
    let cause: unknown;
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "opened") {
        opened = true;
        events.onOpened(message);
        resolve(thread);
      }
      if (message.kind === "refused") reject(failureToError(message.failure, settings.path));
      if (message.kind === "deposed") events.onDeposed(message.by);
      if (message.kind === "answers") events.onAnswers(message.answers);
    });
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      const error = errorOf(
        "bus_unavailable",
        "The thread that owns the bus's database has ended.",
        {
          cause,
        },
      );
      reject(error);
      if (opened && !thread.#closed) events.onDeath(error);
    });
    return promise;
  }

  tell(message: ToWorker): void {
    this.#worker.postMessage(message, []);
  }

  /** Whether the thread keeps the process alive. */
  keepAlive(busy: boolean): void {
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Finishes earlier operations, then closes the database. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#worker.ref();
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.tell({ kind: "close" });
    await ended;
  }
}

export const failureToError = (
  { code, message, hint }: StoreFailure,
  path: string,
): ClaudeCodeError =>
  errorOf(code, message, { data: { path }, ...(hint !== undefined && { hint }) });
