// The thread that owns the database. It takes all waiting operations, runs them in one transaction, and answers.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { StoreOutcome } from "../store.ts";
import { openDatabase } from "./open-database-file.ts";
import { failureOf } from "./describe-sqlite-error.ts";
import { perform } from "./perform-operation.ts";
import { OpenDatabase } from "./database-in-use.ts";
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

try {
  const { path, maxAttempts, checkpointPages } = workerData as WorkerSettings;
  const tables = new OpenDatabase(openDatabase(path, checkpointPages), maxAttempts);
  port.on("message", (first: ToWorker) => serve(tables, first));
  tell({ kind: "opened" });
} catch (error) {
  tell({ kind: "refused", failure: failureOf(error) });
}

function serve(tables: OpenDatabase, first: ToWorker): void {
  const questions: ThreadRequest[] = [];
  let message: ToWorker | undefined = first;
  while (message && message.kind === "ask") {
    questions.push(...message.questions);
    message = questions.length < MAX_BATCH ? next() : undefined;
  }
  if (questions.length > 0) tell({ kind: "answers", answers: answerAll(tables, questions) });
  if (message?.kind === "close") close(tables);
}

function next(): ToWorker | undefined {
  return (port && receiveMessageOnPort(port))?.message as ToWorker | undefined;
}

/**
 * Group commit: one transaction, and so one wait for the disk, for all. When it fails, each operation gets a
 * transaction of its own, so that only the impossible ones fail.
 */
function answerAll(tables: OpenDatabase, questions: readonly ThreadRequest[]): ThreadAnswer[] {
  try {
    return tables.transact(() =>
      questions.map((each) => answer(each, () => perform(tables, each.operation))),
    );
  } catch {
    return questions.map((each) => answerAlone(tables, each));
  }
}

function answerAlone(tables: OpenDatabase, question: ThreadRequest): ThreadAnswer {
  try {
    const act = () => perform(tables, question.operation);
    return answer(question, () => tables.transact(act));
  } catch (error) {
    return { number: question.number, failure: failureOf(error) };
  }
}

const answer = ({ number }: ThreadRequest, act: () => StoreOutcome): ThreadAnswer => ({
  number,
  outcome: act(),
});

function close(tables: OpenDatabase): void {
  tables.close();
  tell({ kind: "closed" });
  port?.close();
}
