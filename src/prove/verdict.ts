import type { JournalEntry } from "../rehearsal/index.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";

/** What a case leaves for the verdict: the session's events, and the model's requests. */
export interface Evidence {
  /** A text that is in the appended system prompt and nowhere else. */
  readonly persona: string;
  readonly events: readonly SessionEvent[];
  /** Every request that reached the rehearsal, in order. */
  readonly requests: readonly JournalEntry[];
}

/** The rules of every case. Each returns its faults as sentences; none means that it holds. */
export const judgeAlways = (evidence: Evidence): string[] => [
  ...judgePersona(evidence),
  ...judgeTurns(evidence.events),
  ...judgeMessages(evidence.events),
  ...judgeCosts(evidence.events),
  ...judgeOrder(evidence.events),
  ...judgeNotices(evidence.events),
  ...judgeScript(evidence.requests),
];

/** The requests of the conversation itself: without those of sub-agents and the CLI's own. */
export const ownRequests = (requests: readonly JournalEntry[]): JournalEntry[] =>
  requests.filter(({ kind, subagent_id }) => kind === "main" && subagent_id === null);

/** Without its persona an agent knows neither its role nor its rules. */
export function judgePersona({ persona, requests }: Evidence): string[] {
  const own = ownRequests(requests);
  const without = own.filter(({ system }) => !system.includes(persona));
  if (without.length === 0) return [];
  const numbers = without.map((request) => own.indexOf(request) + 1).join(", ");
  return [
    `${without.length} of ${own.length} requests to the model lack the appended system prompt: number ${numbers}.`,
  ];
}

/** Each turn has one `turn_started` and, after it, one `done`. */
export function judgeTurns(events: readonly SessionEvent[]): string[] {
  const started = allOf(events, "turn_started");
  const done = allOf(events, "done");
  const turns = new Set([...started, ...done].map(({ turn_id }) => turn_id));
  return [...turns].flatMap((turn) => {
    const begins = started.filter(({ turn_id }) => turn_id === turn);
    const ends = done.filter(({ turn_id }) => turn_id === turn);
    if (begins.length !== 1) return [`Turn ${turn} was started ${times(begins.length)}.`];
    if (ends.length !== 1) return [`Turn ${turn} has ${ends.length} done events in place of one.`];
    const isBackwards = (ends[0]?.seq ?? 0) < (begins[0]?.seq ?? 0);
    return isBackwards ? [`Turn ${turn} has its done event before its start.`] : [];
  });
}

/** Exactly one `done` names each message that needed an answer, and none names another. */
export function judgeMessages(events: readonly SessionEvent[]): string[] {
  const dropped = new Set(allOf(events, "message_dropped").map(({ id }) => id));
  const accepted = allOf(events, "user_message");
  const asked = accepted.filter(({ id, quiet }) => quiet !== true && !dropped.has(id));
  const named = allOf(events, "done").flatMap(({ messages }) => messages);
  const known = new Set(accepted.map(({ id }) => id));
  const unknown = named.filter((id) => !known.has(id));
  return [
    ...asked.flatMap(({ id }) => {
      const count = named.filter((each) => each === id).length;
      return count === 1 ? [] : [`Message ${id} is named by ${count} done events in place of one.`];
    }),
    ...unknown.map((id) => `A done event names ${id}, which is no message of this session.`),
    ...repeated(accepted.map(({ id }) => id)).map((id) => `Message ${id} was accepted twice.`),
  ];
}

/** Costs are numbers, and a turn in which the model finished its answer has one. */
export function judgeCosts(events: readonly SessionEvent[]): string[] {
  return allOf(events, "done").flatMap(({ turn_id, cost_usd, usage, stop_reason }) => {
    if (!Number.isFinite(cost_usd) || cost_usd < 0) {
      return [`Turn ${turn_id} costs ${cost_usd} dollars.`];
    }
    const isFree = stop_reason === "completed" && usage.output_tokens > 0 && cost_usd === 0;
    return isFree ? [`Turn ${turn_id} costs nothing, though the model answered in it.`] : [];
  });
}

/** Events are numbered without a gap, over all starts of the host. */
export function judgeOrder(events: readonly SessionEvent[]): string[] {
  const gap = events.findIndex(
    ({ seq }, index) => index > 0 && seq !== (events[index - 1]?.seq ?? 0) + 1,
  );
  return gap < 0 ? [] : [`Event ${events[gap]?.seq} follows event ${events[gap - 1]?.seq}.`];
}

/** Notices that a session must never record on a working CLI. */
const alarms: ReadonlySet<string> = new Set([
  "foreign_writer",
  "transcript_not_saved",
  "log_repaired",
  "mcp_server_failed",
]);

export function judgeNotices(events: readonly SessionEvent[]): string[] {
  return allOf(events, "notice")
    .filter(({ code }) => alarms.has(code))
    .map(({ code, message }) => `The session sent the notice ${code}: ${message}`);
}

/** A request without an answer in the script was not expected. */
export function judgeScript(requests: readonly JournalEntry[]): string[] {
  const misses = requests.filter(({ outcome }) => outcome?.result === "no_rule");
  return misses.map(({ id }) => `The script has no answer for request ${id}.`);
}

/** Each text is exactly once in the model's request: losing is as bad as doubling. */
export function judgeCopies(request: JournalEntry, texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const count = copiesIn(request, text);
    return count === 1 ? [] : [`"${text}" stands ${times(count)} in the model's next request.`];
  });
}

/** How often a text is in the conversation of a request. */
export const copiesIn = (request: JournalEntry, text: string): number =>
  conversationOf(request).split(text).length - 1;

/** Everything that a request tells the model of the conversation. */
export const conversationOf = ({ body }: JournalEntry): string =>
  JSON.stringify(body?.["messages"] ?? []);

/** The CLI's own text when it must guess; false for a call that was not allowed. */
const guesses = /outcome is unknown|interrupted: /;

export const judgeTruth = (request: JournalEntry): string[] =>
  guesses.test(conversationOf(request))
    ? ["The model is told that a call may have run, though no person had allowed it."]
    : [];

/** How often a call left its line in a file. */
export const judgeRuns = (call: string, runs: number, expected: number): string[] =>
  runs === expected ? [] : [`The call "${call}" ran ${times(runs)}; expected: ${times(expected)}.`];

const repeated = (ids: readonly string[]): string[] =>
  ids.filter((id, index) => ids.indexOf(id) !== index);

const times = (count: number): string => ["never", "once", "twice"][count] ?? `${count} times`;

export const allOf = <Type extends SessionEvent["type"]>(
  events: readonly SessionEvent[],
  type: Type,
): SessionEventOf<Type>[] =>
  events.filter((event): event is SessionEventOf<Type> => event.type === type);
