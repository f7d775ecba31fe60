import { errorOf } from "../../wire/errors.ts";
import type { LogStats } from "../../wire/team/read-results.ts";
import type { CommunicationQuery, CommunicationRecord } from "./communication-record.ts";

/** How many lines of the log are counted for one answer. */
const MAX_LINES = 50_000;
const MAX_BUCKETS = 2000;
const DAY_MS = 86_400_000;

export interface StatsQuery extends CommunicationQuery {
  readonly bucketMs: number;
}

interface Bucket {
  count: number;
  failures: number;
  readonly durations: number[];
}

/**
 * How many lines the communication log has by time, how many of them are failures, and how long deliveries took.
 *
 * @throws `invalid_params` when the time has no length, or too many buckets.
 */
export async function communicationStats(
  log: Pick<CommunicationRecord, "read">,
  query: StatsQuery,
  maxLines: number = MAX_LINES,
): Promise<LogStats> {
  const { bucketMs, untilMs = Date.now(), sinceMs = untilMs - DAY_MS } = query;
  checkRange(sinceMs, untilMs, bucketMs);
  const buckets = new Map<number, Bucket>();
  let lines = 0;
  let next: number | undefined;
  for await (const { atMs, entry } of log.read({ ...query, sinceMs, untilMs })) {
    const start = atMs - (atMs % bucketMs);
    // Only whole buckets: the next answer begins with this one.
    if (lines >= maxLines && !buckets.has(start)) {
      next = start;
      break;
    }
    lines += 1;
    const bucket = buckets.get(start) ?? { count: 0, failures: 0, durations: [] };
    buckets.set(start, bucket);
    bucket.count += 1;
    if (!entry.success) bucket.failures += 1;
    if (entry.duration_ms !== null) bucket.durations.push(entry.duration_ms);
  }
  return {
    since: isoTime(sinceMs),
    until: isoTime(untilMs),
    bucket_ms: bucketMs,
    buckets: [...buckets].sort(([one], [other]) => one - other).map(toWire),
    ...(next !== undefined && { next: isoTime(next) }),
  };
}

function checkRange(sinceMs: number, untilMs: number, bucketMs: number): void {
  if (sinceMs > untilMs) {
    throw errorOf("invalid_params", "since: expected a time before until.");
  }
  const count = Math.ceil((untilMs - sinceMs) / bucketMs);
  if (count <= MAX_BUCKETS) return;
  throw errorOf(
    "invalid_params",
    `bucket_ms: ${count} buckets are over the limit of ${MAX_BUCKETS}.`,
    {
      data: { buckets: count, limit: MAX_BUCKETS },
      hint: "Ask for longer buckets, or for a shorter time.",
    },
  );
}

function toWire([start, { count, failures, durations }]: [number, Bucket]) {
  const sorted = durations.toSorted((one, other) => one - other);
  const share = (part: number): number | null =>
    sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
  return { at: isoTime(start), count, failures, p50_ms: share(0.5), p95_ms: share(0.95) };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
