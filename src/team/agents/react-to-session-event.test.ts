import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { SessionView } from "../../client/index.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { SessionEventSchema } from "../../wire/session/events.ts";
import type { Action, Circumstances, Reactions } from "./react-to-session-event.ts";
import { react, reactions } from "./react-to-session-event.ts";

type Draft = SessionEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, "seq" | "at">
    : never
  : never;

/** A session whose events are reacted to, one after the other. */
class Stage {
  readonly view = new SessionView({ logId: "log-1" });
  #seq = 0;

  happen(draft: Draft, more: Partial<Circumstances> = {}): Action[] {
    this.#seq += 1;
    const event = { ...draft, seq: this.#seq, at: "2026-11-15T12:00:00.000Z" } as SessionEvent;
    this.view.apply(event);
    return react(event, {
      agent: "boss",
      view: this.view,
      whole: [],
      lastError: undefined,
      carried: undefined,
      isUnpublished: true,
      isCaughtUp: true,
      ...more,
    });
  }
}

const namesOf = (actions: readonly Action[]): string[] => actions.map((action) => action.do);
const started: Draft = {
  type: "turn_started",
  turn_id: "t1",
  messages: ["m1"],
  cause: "message",
};
const done: Draft = {
  type: "done",
  turn_id: "t1",
  messages: ["m1"],
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: 0,
  duration_ms: 1,
  stop_reason: "completed",
};

test("react publishes what was said, then what happened, before it acts on it", () => {
  const stage = new Stage();
  stage.happen({ type: "user_message", id: "m1", text: "go" });
  stage.happen(started);
  const actions = stage.happen(done, { whole: [{ kind: "said", text: "so" }] });
  expect(namesOf(actions)).toEqual([
    "publish",
    "settle_turn",
    "give_up_poison",
    "count_as_work",
    "look_at_requests",
    "show_state",
  ]);
  expect(actions[0]).toMatchObject({ drafts: [{ type: "said" }, { type: "turn_ended" }] });
});

test("react reports the end of a turn with its messages, its unread messages and its final text", () => {
  const stage = new Stage();
  stage.happen({ type: "user_message", id: "m1", text: "go" });
  stage.happen(started);
  stage.happen({ type: "text_delta", turn_id: "t1", block: 1, text: "the end" });
  const actions = stage.happen(done, { lastError: "overloaded" });
  expect(actions.find((action) => action.do === "settle_turn")).toMatchObject({
    turn: {
      logId: "log-1",
      about: ["m1", "m1"],
      unread: ["m1"],
      text: "the end",
      error: "overloaded",
      isLast: true,
    },
  });
});

test("react acts again on an event that the timeline already has, but does not publish it twice", () => {
  const stage = new Stage();
  stage.happen({ type: "user_message", id: "m1", text: "go" });
  stage.happen(started);
  const again = stage.happen(done, { isUnpublished: false, whole: [{ kind: "said", text: "so" }] });
  expect(namesOf(again)).not.toContain("publish");
  expect(namesOf(again)).toContain("settle_turn");
});

test("react shows text deltas of the agent itself, and none that is read again after a restart", () => {
  const stage = new Stage();
  const piece = { type: "text_delta", block: 1, text: "a" } as const;
  expect(namesOf(stage.happen(piece))).toEqual(["show_delta"]);
  expect(stage.happen(piece, { isCaughtUp: false })).toEqual([]);
  expect(stage.happen({ ...piece, parent: "toolu_1" })).toEqual([]);
});

test("react reports to the inbox which message the result of a call contains", () => {
  const stage = new Stage();
  stage.happen({ type: "tool_use", request_id: "toolu_1", tool: "Bash", input: {} });
  const result = {
    type: "tool_result",
    request_id: "toolu_1",
    output: "",
    is_error: false,
  } as const;
  expect(stage.happen(result, { carried: "m2" })).toContainEqual({
    do: "call_ended",
    call: "toolu_1",
    carried: "m2",
  });
});

test.each([
  [{ type: "message_seen", id: "m1" }, ["message_seen", "look_at_requests"]],
  [
    { type: "message_dropped", id: "m1", reason: "aborted" },
    ["message_dropped", "count_as_work", "look_at_requests", "show_state"],
  ],
  [{ type: "session_changed", session_id: "s2" }, ["keep_session", "look_at_requests"]],
] as const)("react: %j", (event, expected) => {
  expect(namesOf(new Stage().happen(event as unknown as Draft))).toEqual(expected);
});

test("react does nothing because of a snapshot that repeats what the view knows", () => {
  const stage = new Stage();
  stage.happen({ type: "message_seen", id: "m0" });
  expect(stage.happen({ type: "snapshot_begin" } as unknown as Draft)).toEqual([]);
  expect(stage.happen({ type: "message_seen", id: "m0" })).toEqual([]);
  expect(stage.happen({ type: "snapshot_end" } as unknown as Draft)).toEqual([]);
});

/** An event of each type, with the fields that a reaction reads. */
const samples = SessionEventSchema.options
  .map(({ shape }) => shape.type.value)
  .filter((type) => !type.endsWith("_delta") && !type.startsWith("snapshot_"))
  .map((type) => ({ type, seq: 1, id: "m1", request_id: "c1", session_id: "s1", messages: [] }))
  .map((event) => event as unknown as SessionEvent);

/** By type, in order: what is done when the reader has caught up. An event that is not here only counts as work. */
const expected: Partial<Record<SessionEvent["type"], string[]>> = {
  user_message: ["record_message m1", "look_at_requests", "show_state"],
  message_seen: ["message_seen m1", "look_at_requests"],
  message_dropped: ["message_dropped m1", "count_as_work", "look_at_requests", "show_state"],
  tool_result: ["call_ended c1 with m2", "count_as_work", "look_at_requests"],
  session_changed: ["keep_session s1", "look_at_requests"],
  approval_resolved: ["decision_made c1", "count_as_work", "look_at_requests", "show_state"],
  request_held: ["deadline_moved c1", "look_at_requests"],
  compacted: ["remind_of_tasks", "count_as_work", "look_at_requests"],
  done: ["settle_turn 1", "give_up_poison", "count_as_work", "look_at_requests", "show_state"],
  turn_started: ["turn_began 1", "count_as_work", "look_at_requests", "show_state"],
  approval_request: ["count_as_work", "look_at_requests", "show_state"],
  question: ["count_as_work", "look_at_requests", "show_state"],
  plan: ["count_as_work", "look_at_requests", "show_state"],
  elicitation: ["count_as_work", "look_at_requests", "show_state"],
  status: ["look_at_requests", "show_state"],
  notice: ["look_at_requests"],
  mcp_status: ["look_at_requests"],
  background_tasks: ["look_at_requests"],
  closing: ["look_at_requests"],
};
/** Not done because of events that are read again after a restart. */
const onlyCaughtUp = ["remind_of_tasks", "give_up_poison", "look_at_requests"];

function wordsOf(action: Action): string {
  switch (action.do) {
    case "record_message":
    case "message_dropped":
      return `${action.do} ${action.event.id}`;
    case "message_seen":
      return `${action.do} ${action.id}`;
    case "call_ended":
      return `${action.do} ${action.call} with ${action.carried}`;
    case "keep_session":
      return `${action.do} ${action.sessionId}`;
    case "decision_made":
    case "deadline_moved":
      return `${action.do} ${action.event.request_id}`;
    case "turn_began":
      return `${action.do} ${action.event.seq}`;
    case "settle_turn":
      return `${action.do} ${action.turn.done.seq}`;
    default:
      return action.do;
  }
}

/** The events to which a table reacts in another way than expected. */
function mistakes(table: Reactions): string[] {
  return [true, false].flatMap((isCaughtUp) =>
    samples.flatMap((event) => {
      const wanted = expected[event.type] ?? ["count_as_work", "look_at_requests"];
      const got = react(
        event,
        {
          agent: "boss",
          view: new SessionView({ logId: "log-1" }),
          whole: [],
          lastError: undefined,
          carried: "m2",
          isUnpublished: false,
          isCaughtUp,
        },
        table,
      );
      const due = wanted.filter((words) => isCaughtUp || !onlyCaughtUp.includes(words));
      return isDeepStrictEqual(got.map(wordsOf), due) ? [] : [event.type];
    }),
  );
}

test("react does for each type of event what the table of this test says", () => {
  expect(mistakes(reactions)).toEqual([]);
});

const flipped = <Item>(set: ReadonlySet<Item>, item: Item): Set<Item> =>
  set.has(item) ? new Set([...set].filter((each) => each !== item)) : new Set([...set, item]);

/** Every table with one fault: a row that is missing, or another one's, or a type on the wrong side of a set. */
const faulty = samples.flatMap(({ type }): [string, Reactions][] => {
  const { own, housekeeping, stateChanges } = reactions;
  const rows: [string, unknown][] = [["no", undefined], ...Object.entries(own)];
  return [
    ...rows.map(([name, row]): [string, Reactions] => [
      `${type} has ${name} row`,
      { ...reactions, own: { ...own, [type]: row } },
    ]),
    [`housekeeping: ${type}`, { ...reactions, housekeeping: flipped(housekeeping, type) }],
    [`state changes: ${type}`, { ...reactions, stateChanges: flipped(stateChanges, type) }],
  ];
});

/** The row that the type has anyway; no row for a type that has none. */
const isEquivalent = (fault: string): boolean =>
  samples.some(({ type }) => fault === `${type} has ${type in reactions.own ? type : "no"} row`);

test("a fault in any of the reactions is found, unless it changes nothing", () => {
  const survivors = faulty.filter(([, table]) => mistakes(table).length === 0);
  expect(faulty.length).toBeGreaterThan(200);
  expect(survivors.map(([name]) => name).filter((name) => !isEquivalent(name))).toEqual([]);
});
