import { expect, test } from "vitest";
import type { TeamEvent } from "../../wire/team/events.ts";
import { TeamView } from "./team-view.ts";

type WithoutPlace<Event> = Event extends TeamEvent ? Omit<Event, "seq" | "at"> : never;
type Draft = WithoutPlace<TeamEvent>;

function apply(view: TeamView, ...drafts: Draft[]): void {
  for (const draft of drafts) {
    view.apply({ ...draft, seq: view.lastSeq + 1, at: "2026-11-18T05:00:00.000Z" });
  }
}

const started: Draft = {
  type: "team_started",
  team: "pair",
  lead: "boss",
  agents: ["boss", "coder"],
  rehearsal: false,
  restarted: false,
};
const ended = (cost_usd: number): Draft => ({
  type: "turn_ended",
  agent: "coder",
  turn_id: "t",
  messages: [],
  stop_reason: "completed",
  cost_usd,
  tokens: 1,
  duration_ms: 1,
});
const task = { id: "k", state: "working" };
const request = { type: "question", request_id: "q1", questions: [] };

test("TeamView has the agents with their states, their texts and their costs", () => {
  const view = new TeamView();
  apply(view, started, { type: "agent_state", agent: "coder", state: "working", reason: "m" });
  view.apply({ type: "delta", agent: "coder", text: "I " });
  view.apply({ type: "delta", agent: "coder", text: "look" });
  expect(view.agents.get("coder")).toMatchObject({ state: "working", reason: "m", text: "I look" });
  apply(view, { type: "said", agent: "coder", text: "I look." }, ended(0.25), ended(0.5));
  expect(view.agents.get("coder")).toMatchObject({ text: "I look.", turns: 2, costUsd: 0.75 });
  expect([view.team, view.lead, view.costUsd, [...view.agents.keys()]]).toEqual([
    "pair",
    "boss",
    0.75,
    ["boss", "coder"],
  ]);
});

const call = (request_id: string): Draft => ({
  type: "tool_called",
  agent: "coder",
  request_id,
  tool: "Bash",
  summary: "ls",
});
const endOf = (request_id: string): Draft => ({
  type: "tool_ended",
  agent: "coder",
  request_id,
  is_error: false,
  summary: "",
});

test("TeamView knows what an agent does now, since when, and what it has used", () => {
  const view = new TeamView();
  apply(view, started, { type: "agent_state", agent: "coder", state: "working" });
  apply(view, { type: "turn_started", agent: "coder", turn_id: "t1", messages: [] });
  apply(view, call("c1"), call("c2"), endOf("c1"));
  expect(view.agents.get("coder")).toMatchObject({
    since: "2026-11-18T05:00:00.000Z",
    turn: { id: "t1", startedAt: "2026-11-18T05:00:00.000Z" },
    current: { request_id: "c2", tool: "Bash", summary: "ls" },
  });
  apply(view, endOf("c2"));
  expect(view.agents.get("coder")?.current).toBeUndefined();
  apply(view, call("c3"), ended(1), ended(1));
  expect(view.agents.get("coder")).toMatchObject({
    turn: undefined,
    current: undefined,
    tokens: 2,
  });
});

test("TeamView keeps the newest tasks that have ended", () => {
  const view = new TeamView();
  for (let n = 1; n <= 1001; n += 1) {
    apply(view, {
      type: "task_changed",
      task: { id: `k${n}`, state: n % 2 ? "completed" : "failed" },
    } as unknown as Draft);
  }
  expect([view.openTasks.size, view.endedTasks.size, view.endedTasks.has("k1")]).toEqual([
    0,
    1000,
    false,
  ]);
  expect(view.endedTasks.get("k1001")).toMatchObject({ state: "completed" });
});

test("TeamView has open tasks, pending approvals and the steps of messages", () => {
  const view = new TeamView();
  const message = { id: "m1", content: "x" };
  apply(
    view,
    { type: "task_changed", task } as unknown as Draft,
    { type: "approval_requested", agent: "coder", request } as unknown as Draft,
    { type: "message_sent", message, bytes: 1 } as unknown as Draft,
  );
  expect([...view.openTasks.keys()]).toEqual(["k"]);
  expect(view.approvals.get("q1")).toEqual({ agent: "coder", request });
  expect(view.messages.get("m1")).toEqual({ message, step: "sent" });
  apply(
    view,
    { type: "task_changed", task: { ...task, state: "completed" } } as unknown as Draft,
    { type: "approval_resolved", agent: "coder", request_id: "q1", outcome: "allowed" },
    { type: "message_moved", id: "m1", from_agent: "a", to_agent: "b", step: "seen" },
  );
  expect([view.openTasks.size, view.approvals.size, view.messages.get("m1")?.step]).toEqual([
    0,
    0,
    "seen",
  ]);
});

test("TeamView keeps the newest refusals and the notices that nobody has acknowledged", () => {
  const view = new TeamView();
  const error = { code: "rate_limited", message: "too fast" };
  for (let n = 1; n <= 1001; n += 1) {
    const refused = { type: "refused", from_agent: "coder", to_agent: `a${n}`, error };
    apply(view, refused as unknown as Draft);
  }
  expect(view.refusals).toHaveLength(1000);
  expect(view.refusals[0]).toMatchObject({ to_agent: "a2" });
  expect(view.refusals.at(-1)).toMatchObject({ to_agent: "a1001", error });
  const notice = { type: "notice", id: "n", level: "warn", message: "!" } as const;
  apply(view, notice, { ...notice, id: "i", level: "info" }, { ...notice, id: "e" });
  apply(view, { type: "notice_acknowledged", id: "n", by: "anna" });
  expect([...view.notices.keys()]).toEqual(["e"]);
});

test("TeamView counts a repeated event once, and is empty after a reset", () => {
  const view = new TeamView();
  apply(view, started, ended(1));
  view.apply({ ...ended(1), seq: 2, at: "x" });
  expect(view.costUsd).toBe(1);
  view.apply({ type: "reset", logId: "l2" });
  expect([view.lastSeq, view.agents.size, view.costUsd]).toEqual([0, 0, 0]);
});

test("TeamView drops the requests of the last process of the team when a new one starts", () => {
  const view = new TeamView();
  apply(view, started, ended(1), { type: "team_stopping" });
  apply(view, { type: "approval_requested", agent: "coder", request } as unknown as Draft);
  expect(view.isStopping).toBe(true);
  apply(view, { ...started, agents: ["coder"] });
  expect([view.isStopping, view.approvals.size, [...view.agents.keys()]]).toEqual([
    false,
    0,
    ["coder"],
  ]);
  expect(view.costUsd).toBe(1);
});

test("a copy of a view learns nothing of what the first one learns later, nor the other way round", () => {
  const view = new TeamView();
  apply(view, started, { type: "agent_state", agent: "coder", state: "working" });
  const copy = view.copy();
  apply(view, call("r1"), { type: "agent_state", agent: "coder", state: "ready" }, ended(1));
  apply(copy, call("r2"));
  expect(copy.agents.get("coder")).toMatchObject({ state: "working", turns: 0 });
  expect(copy.agents.get("coder")?.current).toMatchObject({ request_id: "r2" });
  expect(view.agents.get("coder")).toMatchObject({ state: "ready", turns: 1 });
  expect([view.lastSeq, copy.lastSeq, copy.team]).toEqual([5, 3, "pair"]);
});
