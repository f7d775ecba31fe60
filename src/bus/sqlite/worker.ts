// The thread that owns the database. It takes all waiting operations, runs them in one transaction, and answers.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { StoreFailure, StoreOutcome } from "../store.ts";
import { failureOf } from "./describe-sqlite-error.ts";
import { openBusDatabase } from "./open-bus-database.ts";
import { perform } from "./perform-operation.ts";
import type { OpenDatabase } from "./database-in-use.ts";
import type { TransactedDatabase } from "./transacted-database.ts";
import { NotWritten } from "./transacted-database.ts";
import type {
  ThreadAnswer,
  FromWorker,
  ThreadRequest,
  ToWorker,
  WorkerSettings,
} from "./thread-messages.ts";

/** In a larger transaction the first operations would wait too long for the last. */
const MAX_BATCH = 1_024;

const port = parentPort;
if (!port) throw new Error("This file is a worker thread.");
const tell = (message: FromWorker): void => port.postMessage(message);
const waiting: ThreadRequest[] = [];
let isWorking = false;
let isClosing = false;

try {
  const settings = workerData as WorkerSettings;
  const opened = await openBusDatabase(settings, (by) => tell({ kind: "deposed", by }));
  const { database, promises, office } = opened;
  port.on("message", (message: ToWorker) => {
    take(message);
    void work(database);
  });
  tell({ kind: "opened", promises, office });
} catch (error) {
  tell({ kind: "refused", failure: failureOf(error) });
}

function take(message: ToWorker): void {
  if (message.kind === "close") isClosing = true;
  else for (const question of message.questions) waiting.push(question);
}

/** What has come while the thread was busy goes into the next transaction. */
function takeAllThatCame(): void {
  if (!port) return;
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    take(next.message as ToWorker);
  }
}

async function work(database: TransactedDatabase): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  for (takeAllThatCame(); waiting.length > 0; takeAllThatCame()) {
    const answers = await answerSome(database, waiting.slice(0, MAX_BATCH));
    waiting.splice(0, answers.length);
    tell({ kind: "answers", answers });
  }
  isWorking = false;
  if (isClosing) await close(database);
}

/**
 * Group commit: one transaction, and so one wait for the disk, for as many as fit. When it fails, each operation gets a
 * transaction of its own, so that only the impossible ones fail.
 */
async function answerSome(
  database: TransactedDatabase,
  questions: readonly ThreadRequest[],
): Promise<ThreadAnswer[]> {
  try {
    return await database.transact((tables) => fill(tables, questions, database.maxBatchBytes));
  } catch (error) {
    if (error instanceof NotWritten) return questions.map((each) => failed(each, error.failure));
    const answers: ThreadAnswer[] = [];
    for (const each of questions) answers.push(await answerAlone(database, each));
    return answers;
  }
}

/** Answers the first operations: one, and as many more as do not make the transaction too large. */
function fill(
  tables: OpenDatabase,
  questions: readonly ThreadRequest[],
  maxBytes: number,
): ThreadAnswer[] {
  const answers: ThreadAnswer[] = [];
  for (const question of questions) {
    const { operation } = question;
    const bytes = "letter" in operation ? operation.letter.bytes : 0;
    if (answers.length > 0 && tables.writtenBytes + bytes > maxBytes) break;
    answers.push(answer(question, perform(tables, operation)));
  }
  return answers;
}

async function answerAlone(
  database: TransactedDatabase,
  question: ThreadRequest,
): Promise<ThreadAnswer> {
  try {
    const act = (tables: OpenDatabase) => perform(tables, question.operation);
    return answer(question, await database.transact(act));
  } catch (error) {
    return failed(question, error instanceof NotWritten ? error.failure : failureOf(error));
  }
}

const answer = ({ number }: ThreadRequest, outcome: StoreOutcome): ThreadAnswer => ({
  number,
  outcome,
});

const failed = ({ number }: ThreadRequest, failure: StoreFailure): ThreadAnswer => ({
  number,
  failure,
});

async function close(database: TransactedDatabase): Promise<void> {
  isClosing = false;
  await database.close();
  tell({ kind: "closed" });
  port?.close();
}
