import { expect, test } from "vitest";
import { SessionView } from "../../client/index.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { Action, Circumstances } from "./reactor.ts";
import { react } from "./reactor.ts";

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
      isNews: true,
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
  const again = stage.happen(done, { isNews: false, whole: [{ kind: "said", text: "so" }] });
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
