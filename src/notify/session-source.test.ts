import { expect, test } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import { startNotifier, until } from "../../test/support/notifier-stage.ts";
import { connectSession } from "../client/index.ts";
import { SessionSource } from "./session-source.ts";

const sessionSource = (path: string) =>
  new SessionSource((options, signal) => connectSession(path, { ...options, signal }), "mine");

const request = (request_id: string) =>
  ({
    type: "approval_request" as const,
    request_id,
    tool: "Bash",
    input: { command: `run ${request_id}` },
    scopes: [{ scope: "once" as const, label: "Once" }],
  }) satisfies object;

const done = (turn_id: string, stop_reason: "completed" | "failed" | "aborted") =>
  ({
    type: "done" as const,
    turn_id,
    messages: [] as string[],
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    duration_ms: 1,
    stop_reason,
  }) satisfies object;

test("tells of its calls and of how its turns end, but not of what the person ended", async () => {
  const session = await new FakeSession().start();
  const { titles, reports } = startNotifier({ source: sessionSource(session.path) });
  await until(() => [...session.clients].some(({ live }) => live));
  session.happen(request("a"));
  await until(() => titles().length === 1);
  session.happen({ type: "text_delta", turn_id: "t1", block: 0, text: "All " } as never);
  session.happen({ type: "text_delta", turn_id: "t1", block: 0, text: "built." } as never);
  session.happen(done("t1", "completed"));
  session.happen(done("t2", "aborted"));
  // It is not over: the session goes on with it.
  const due = "2026-11-20T14:05:00.000Z";
  session.happen({ type: "continuation_planned", turn_id: "t4", due, messages: [], id: "c" });
  session.happen(done("t4", "failed"));
  session.happen(done("t3", "failed"));
  await until(() => titles().length === 3);
  expect(titles()).toEqual([
    "told: mine wants to use Bash",
    "told: mine is done",
    "told: mine has failed",
  ]);
  expect(reports[1]).toMatchObject({ news: { text: "All built." } });
});

test("a call that a crash asks again under another id is told once", async () => {
  const session = await new FakeSession().start();
  const { titles } = startNotifier({ source: sessionSource(session.path) });
  await until(() => [...session.clients].some(({ live }) => live));
  session.happen(request("a"));
  await until(() => titles().length === 1);
  session.happen({ type: "approval_resolved", request_id: "a", outcome: "superseded" });
  session.happen({ ...request("b"), replaces: "a" });
  session.happen(request("c"));
  await until(() => titles().length === 2);
  expect(titles()).toHaveLength(2);
});
