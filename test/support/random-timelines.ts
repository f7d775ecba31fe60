import type { TeamEvent } from "../../src/wire/team/events.ts";
import * as fc from "fast-check";

// Timelines for tests: every event is valid by itself, their order is not always one that a team would make.

type WithoutPlace<Event> = Event extends TeamEvent ? Omit<Event, "seq" | "at"> : never;
export type Draft = WithoutPlace<TeamEvent>;

export const START = Date.parse("2026-11-18T10:00:00.000Z");

/** Numbers events from 1, the given milliseconds apart. */
export const timelineOf = (drafts: readonly Draft[], everyMs = 1000): TeamEvent[] =>
  drafts.map((draft, index) => ({
    ...draft,
    seq: index + 1,
    at: new Date(START + index * everyMs).toISOString(),
  }));

export const started = (agents: string[]): Draft => ({
  type: "team_started",
  team: "t",
  lead: agents[0] ?? "a",
  agents,
  rehearsal: true,
  restarted: false,
});

export const sent = (id: string, from_agent: string, to_agent: string, content = "x"): Draft => {
  const timestamp = new Date(START).toISOString();
  const metadata = {
    timestamp,
    priority: "normal",
    task_id: null,
    correlation_id: null,
    retry_count: 0,
    ttl: null,
  } as const;
  const place = { reply_to: null, root_id: id, hop: 0, path: [], timestamp, thinking: null };
  const message = { id, from_agent, to_agent, type: "task_request", content, metadata, ...place };
  return { type: "message_sent", message: { ...message, type: "task_request" }, bytes: 1 };
};

const agent = fc.constantFrom("a", "b", "c");
const id = fc.constantFrom("m1", "m2", "m3", "m4");
const turn_id = fc.constantFrom("t1", "t2");
const request_id = fc.constantFrom("r1", "r2", "r3");
const of = <Value>(value: Value) => fc.constant(value);

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc.constant(started(["a", "b", "c"])),
  fc.record({
    type: of("agent_state" as const),
    agent,
    state: fc.constantFrom("ready" as const, "working" as const, "restarting" as const),
  }),
  fc.tuple(id, agent, agent).map(([each, from, to]) => sent(each, from, to)),
  fc.record({
    type: of("message_moved" as const),
    id,
    from_agent: agent,
    to_agent: agent,
    step: fc.constantFrom("pushed" as const, "seen" as const, "done" as const, "dead" as const),
  }),
  fc.record({ type: of("turn_started" as const), agent, turn_id, messages: fc.array(id) }),
  fc.record({
    type: of("turn_ended" as const),
    agent,
    turn_id,
    messages: of([]),
    stop_reason: of("completed"),
    cost_usd: of(0.5),
    tokens: of(7),
    duration_ms: of(9),
  }),
  fc.record({
    type: of("tool_called" as const),
    agent,
    request_id,
    tool: of("Bash"),
    summary: of("ls"),
  }),
  fc.record({
    type: of("tool_ended" as const),
    agent,
    request_id,
    is_error: fc.boolean(),
    summary: of("ok"),
  }),
  fc.record({
    type: of("approval_resolved" as const),
    agent,
    request_id,
    outcome: of("allowed"),
  }),
  fc.record({ type: of("said" as const), agent, text: of("hello") }),
);

export const timelines = (maxLength = 200): fc.Arbitrary<TeamEvent[]> =>
  fc.array(draft, { maxLength, size: "max" }).map((drafts) => timelineOf(drafts));
