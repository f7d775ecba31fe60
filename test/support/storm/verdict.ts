import type { JournalEntry } from "../../../src/rehearsal/journal.ts";
import type { SessionEvent, SessionEventOf } from "../../../src/wire/session/events.ts";
import { judgePersona } from "../persona.ts";
import { answeredIn, marksIn } from "./script.ts";

export interface Evidence {
  events: SessionEvent[];
  /** All that the model got of the main agent. */
  requests: JournalEntry[];
  /** The model's last request: the whole conversation. */
  last: JournalEntry;
  /** A line for each time that a tool ran. */
  marks: string[];
}

/** Everything that should not be so, in words. */
export function judge(evidence: Evidence): string[] {
  return [
    ...judgeTurns(evidence.events),
    ...judgeMessages(evidence),
    ...judgeApprovals(evidence.events),
    ...judgeCalls(evidence),
    ...judgePersona(evidence.requests),
  ];
}

const only = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is SessionEventOf<T> => event.type === type);

/** One end for each turn, and whatever happens in a turn says in which. */
function judgeTurns(events: SessionEvent[]): string[] {
  const wrong: string[] = [];
  const known = new Set<string>();
  let open: string | undefined;
  for (const event of events) {
    const { seq, type } = event;
    const at = `${type} ${seq}`;
    const turn = "turn_id" in event ? event.turn_id : undefined;
    if (type === "turn_started") {
      if (open !== undefined) wrong.push(`${at}: begins inside ${open}`);
      if (known.has(event.turn_id)) wrong.push(`${at}: begins a second time`);
      known.add(event.turn_id);
      open = event.turn_id;
    } else if (turn !== open && (turn !== undefined || belongsToTurn(event))) {
      wrong.push(`${at}: is of ${turn} while ${open} is open`);
    }
    if (type === "done") open = undefined;
  }
  if (open !== undefined) wrong.push(`${open} has no end`);
  return wrong;
}

const inTurns = new Set<SessionEvent["type"]>([
  "text_delta",
  "thinking_delta",
  "tool_use",
  "tool_input_delta",
  "tool_result",
  "approval_request",
  "usage",
  "done",
]);

const belongsToTurn = (event: SessionEvent): boolean =>
  inTurns.has(event.type) || (event.type === "status" && event.state !== "idle");

/** Each is seen once, ended once, and stands in the conversation once; each was answered. */
function judgeMessages({ events, last }: Evidence): string[] {
  const wrong: string[] = [];
  const ended = only(events, "done").flatMap(({ messages }) => messages);
  const dropped = only(events, "message_dropped").map(({ id }) => id);
  const seen = only(events, "message_seen").map(({ id }) => id);
  const conversation = JSON.stringify(last.body?.messages);
  const answered = last.body ? answeredIn(last.body) : [];
  const accepted = only(events, "user_message");
  if (new Set(accepted.map(({ id }) => id)).size < accepted.length) wrong.push("accepted twice");
  for (const [index, { id, text, quiet = false }] of accepted.entries()) {
    const count = (ids: string[]): number => ids.filter((each) => each === id).length;
    const ends = count(ended) + count(dropped);
    if (ends !== (quiet ? 0 : 1)) wrong.push(`${id}: ended ${ends} times`);
    if (count(seen) !== 1) wrong.push(`${id}: seen ${count(seen)} times`);
    const copies = conversation.split(typeof text === "string" ? text : "").length - 1;
    if (copies !== 1) wrong.push(`${id}: ${copies} copies`);
    const isLast = index === accepted.length - 1;
    const n = Number(id.slice(1));
    if (!quiet && !isLast && !answered.includes(n)) wrong.push(`${id}: never answered`);
  }
  return wrong;
}

/** Each request is decided once, by whomever. */
function judgeApprovals(events: SessionEvent[]): string[] {
  const wrong: string[] = [];
  const pending = new Set<string>();
  for (const event of events) {
    if (event.type === "approval_request") {
      const { request_id, again = false, seq } = event;
      if (pending.has(request_id) !== again) wrong.push(`approval_request ${seq}: again ${again}`);
      pending.add(request_id);
    } else if (event.type === "approval_resolved") {
      if (!pending.delete(event.request_id)) wrong.push(`approval_resolved ${event.seq}: of none`);
    } else if (event.type === "done" && event.stop_reason === "completed" && pending.size > 0) {
      wrong.push(`done ${event.seq}: leaves ${[...pending].join(" ")} open`);
    }
  }
  return [...wrong, ...[...pending].map((id) => `${id}: never resolved`)];
}

/** No run without a decision of its own, and none that the model was not told of. */
function judgeCalls({ events, last, marks }: Evidence): string[] {
  const wrong: string[] = [];
  const markOf = new Map(
    only(events, "approval_request").map(({ request_id, input }) => [
      request_id,
      marksIn(JSON.stringify(input))[0] ?? "",
    ]),
  );
  const allowed = only(events, "approval_resolved").filter(({ outcome }) => outcome === "allowed");
  const told = marksIn(
    JSON.stringify(last.body?.messages).replaceAll(/mark-[^}]*} \[[^\]]*\]: did not run/g, ""),
  );
  const decided = allowed.map(({ request_id }) => markOf.get(request_id) ?? "");
  for (const mark of new Set([...marks, ...decided])) {
    const count = (all: string[]): number => all.filter((at) => at === mark).length;
    const [runs, decisions, known] = [count(marks), count(decided), count(told)];
    if (runs > decisions) wrong.push(`${mark}: ran ${runs} times, was allowed ${decisions} times`);
    // Also what was allowed and then cut may have run.
    if (known < decisions) {
      wrong.push(
        `${mark}: was allowed ${decisions} times, ran ${runs} times, model knows ${known}`,
      );
    }
  }
  const results = only(events, "tool_result").map(({ request_id }) => request_id);
  if (new Set(results).size < results.length) wrong.push("a call has two results");
  const lost = new Set(
    only(events, "done")
      .filter(({ stop_reason }) => stop_reason !== "completed")
      .map(({ turn_id }) => turn_id),
  );
  for (const { request_id, turn_id } of allowed) {
    if (!results.includes(request_id) && !lost.has(turn_id ?? "")) {
      wrong.push(`${markOf.get(request_id)}: allowed, without result, in a turn that was not cut`);
    }
  }
  return wrong;
}
