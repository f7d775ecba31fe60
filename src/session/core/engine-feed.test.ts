import { expect, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { RetryEvent } from "../../engine/events.ts";
import { openLog } from "../log/open-log.ts";
import { EngineFeed } from "./engine-feed.ts";
import { Inbox } from "./inbox.ts";
import type { SessionContext } from "./session-context.ts";
import { Recorder } from "./recorder.ts";
import { Turns } from "./turns.ts";

test("an event of the CLI outside a turn starts no turn", async () => {
  const log = openLog(memoryDir());
  const heard = hear(log);
  const recorder = new Recorder(log);
  const inbox = new Inbox(recorder, new HandTimers());
  const turns = new Turns(recorder, inbox);
  const feed = new EngineFeed({ log, recorder, inbox, turns } as unknown as SessionContext);
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
