import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { EventDraft } from "../log/event-draft.ts";
import { openLog } from "../log/open-log.ts";
import { statusOf } from "./status-of.ts";

const list = (status: "pending" | "completed", parent?: string): EventDraft => ({
  type: "todo",
  items: [{ content: "look", status }],
  ...(parent !== undefined && { parent }),
});

test("[SES-92] status has the newest list of things to do, and none after /clear", () => {
  const log = openLog(memoryDir());
  expect(statusOf(log)).not.toHaveProperty("todo");
  for (const todo of [list("pending"), list("completed"), list("pending", "toolu_1")])
    log.append(todo);
  expect(statusOf(log)).toMatchObject({ todo: [{ content: "look", status: "completed" }] });
  log.append({ type: "session_changed", session_id: "s2", previous: "s1" });
  expect(statusOf(log)).not.toHaveProperty("todo");
});
