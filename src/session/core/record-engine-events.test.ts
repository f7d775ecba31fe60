import { expect, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { RetryEvent } from "../../engine/events.ts";
import { openLog } from "../log/open-log.ts";
import { EngineEventRecorder } from "./record-engine-events.ts";
import { Inbox } from "./inbox.ts";
import type { SessionContext } from "./session-context.ts";
import { Recorder } from "./event-recorder.ts";
import { Turns } from "./open-and-end-turns.ts";

test("an event of the CLI outside a turn starts no turn", async () => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  const recorder = new Recorder(log);
  const inbox = new Inbox(recorder, new HandTimers());
  const turns = new Turns(recorder, inbox);
  const feed = new EngineEventRecorder({
    log,
    recorder,
    inbox,
    turns,
  } as unknown as SessionContext);
  const retry: RetryEvent = {
    type: "retry",
    attempt: 1,
    max: 4,
    delay_ms: 500,
    code: "overloaded",
  };
  feed.take(retry);
  feed.take({ ...retry, parent: "c1" });
  feed.take({ type: "progress", of: "plugin_install", state: "started" });
  await log.close();
  const events = eventsOf(textOf(heard));
  expect(events.map(({ type }) => type)).toEqual(["retry", "retry", "notice"]);
  expect(events[1]).toMatchObject({ parent: "c1" });
  for (const event of events) expect(event).not.toHaveProperty("turn_id");
});

test("[SES-38] a sign of life of a sub-agent's call has the sub-agent as its parent, and starts no turn", async () => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  const recorder = new Recorder(log);
  const inbox = new Inbox(recorder, new HandTimers());
  const turns = new Turns(recorder, inbox);
  const feed = new EngineEventRecorder({
    log,
    recorder,
    inbox,
    turns,
  } as unknown as SessionContext);
  recorder.record({ type: "tool_use", request_id: "c2", tool: "Bash", input: {}, parent: "c1" });
  feed.take({ type: "tool_progress", request_id: "c2", tool: "Bash", elapsed_ms: 30_000 });
  await log.close();
  const events = eventsOf(textOf(heard));
  expect(events.map(({ type }) => type)).not.toContain("turn_started");
  expect(events.at(-1)).toMatchObject({ type: "tool_progress", request_id: "c2", parent: "c1" });
});
