import { Worker } from "node:worker_threads";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Answer, FromWorker, ToWorker, WorkerSettings } from "./thread-messages.ts";

/** Source is run as it is; what is built lies beside its built worker. */
const file = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js",
  import.meta.url,
);

export interface ThreadEvents {
  onAnswers(answers: readonly Answer[]): void;
  /** It had opened the database, and ended unasked. */
  onDeath(error: ClaudeCodeError): void;
}

/** The thread that owns the database. While nothing is asked of it, it keeps no process alive. */
export class DatabaseThread {
  readonly #worker: Worker;
  #closed = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Fails with `bus_in_use`, `bus_invalid`, `disk_full` or `bus_unavailable`. */
  static open(settings: WorkerSettings, events: ThreadEvents): Promise<DatabaseThread> {
    const { promise, resolve, reject } = Promise.withResolvers<DatabaseThread>();
    // Flags of this process, such as a loader's, are not meant for the thread.
    const worker = new Worker(file, { workerData: settings, execArgv: [], name: "bus" });
    const thread = new DatabaseThread(worker);
    let opened = false;
    let cause: unknown;
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "opened") {
        opened = true;
        resolve(thread);
      }
      if (message.kind === "refused") reject(failureToError(message.failure, settings.path));
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

  /** Must the process live on for it? */
  keepAlive(busy: boolean): void {
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Does what was asked before, then closes the database. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#worker.ref();
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.tell({ kind: "close" });
    await ended;
  }
}

export const failureToError = (failure: FailureLike, path: string): ClaudeCodeError =>
  errorOf(failure.code, failure.message, { data: { path } });

type FailureLike = Extract<FromWorker, { kind: "refused" }>["failure"];
