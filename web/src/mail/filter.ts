import type { CommunicationLogLevel, MessageType, TeamParamsInput } from "agent-switchboard/wire";

export const levels: readonly CommunicationLogLevel[] = ["DEBUG", "INFO", "WARN", "ERROR"];

export const messageTypes: readonly MessageType[] = [
  "task_request",
  "task_response",
  "task_complete",
  "task_failed",
  "info",
  "progress",
  "error",
  "ping",
  "pong",
  "shutdown",
];

export const spans = ["hour", "day", "week", "all", "own"] as const;
export type Span = (typeof spans)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a person has chosen. Empty texts choose nothing. */
export interface MailFilter {
  readonly level: CommunicationLogLevel;
  readonly from: string;
  readonly to: string;
  readonly type: MessageType | "";
  readonly text: string;
  readonly span: Span;
  /** Of a span of one's own, as the browser's field has them: local time without a zone. */
  readonly since: string;
  readonly until: string;
}

export const noFilter: MailFilter = {
  level: "INFO",
  from: "",
  to: "",
  type: "",
  text: "",
  span: "day",
  since: "",
  until: "",
};

const lengths: Readonly<Record<"hour" | "day" | "week", number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** The beginning and the end of a filter's time, in the form of the protocol; absent where it is open. */
export function timesOf(
  { span, since, until }: Pick<MailFilter, "span" | "since" | "until">,
  now: number,
): { since?: string; until?: string } {
  if (span === "all") return {};
  if (span !== "own") {
    // To the minute, so that the question stays the same one while it is looked at.
    const from = Math.floor((now - lengths[span]) / MINUTE_MS) * MINUTE_MS;
    return { since: new Date(from).toISOString() };
  }
  const [from, to] = [isoOf(since), isoOf(until)];
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { until: to }) };
}

/** The params of `log` for a filter. */
export function logParams(filter: MailFilter, now: number): TeamParamsInput<"log"> {
  const { level, from, to, type, text } = filter;
  return {
    level,
    ...(isName(from) && { from }),
    ...(isName(to) && { to }),
    ...(type !== "" && { type }),
    ...(text.trim() !== "" && { text: text.trim() }),
    ...timesOf(filter, now),
  };
}

/** The params of `log_stats`: the same without words, which it does not take, in about sixty buckets. */
export function statsParams(filter: MailFilter, now: number): TeamParamsInput<"log_stats"> {
  const { text: _, ...params } = logParams(filter, now);
  const until = params.until === undefined ? now : Date.parse(params.until);
  const since = params.since === undefined ? until - 30 * DAY_MS : Date.parse(params.since);
  return {
    ...params,
    since: new Date(since).toISOString(),
    bucket_ms: bucketOf(until - since),
  };
}

const buckets = [1, 5, 15, 60, 180, 720, 1440].map((minutes) => minutes * MINUTE_MS);

export const bucketOf = (lengthMs: number): number =>
  buckets.find((each) => lengthMs / each <= 60) ?? DAY_MS;

/** A half-typed name finds nothing, and is refused by the team. */
const isName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text);

function isoOf(local: string): string | undefined {
  const time = new Date(local);
  return local === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
