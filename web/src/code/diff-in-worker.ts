import type { Hunk } from "agent-switchboard/wire";
import { diffTexts } from "./diff-texts.ts";
import { startWorker } from "./start-worker.ts";

export interface DiffJob {
  readonly before: string;
  readonly after: string;
}

const MAX_LINES_HERE = 200;
const MAX_CHARS_HERE = 20_000;
const TIMEOUT_MS = 30;

/** The hunks between two texts: at once when they are short, else from a worker that ends with the signal. */
export function hunksBetween(job: DiffJob, signal: AbortSignal): Hunk[] | Promise<Hunk[]> {
  return isShort(job.before) && isShort(job.after)
    ? diffTexts(job.before, job.after, TIMEOUT_MS)
    : inWorker(job, signal);
}

function isShort(text: string): boolean {
  if (text.length > MAX_CHARS_HERE) return false;
  return text.split("\n", MAX_LINES_HERE + 1).length <= MAX_LINES_HERE;
}

async function inWorker(job: DiffJob, signal: AbortSignal): Promise<Hunk[]> {
  const { default: url } = await import("./diff.worker.ts?worker&url");
  const { promise, resolve, reject } = Promise.withResolvers<Hunk[]>();
  const worker = startWorker(url);
  const end = (): void => worker.terminate();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  worker.addEventListener("message", (event: MessageEvent<Hunk[]>) => {
    resolve(event.data);
    end();
  });
  worker.addEventListener("error", (event) => {
    reject(new Error(`The comparison failed: ${event.message}`));
    end();
  });
  worker.postMessage(job, []);
  return promise;
}
