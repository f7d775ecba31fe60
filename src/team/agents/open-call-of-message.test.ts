import { expect, test } from "vitest";
import { SessionView } from "../../client/index.ts";
import { messageOf } from "../../../test/support/team-messages.ts";
import { idOfCall } from "../messages/derive-message-id.ts";
import { answerWords } from "../messages/message-carried-by-result.ts";
import { messageIn, openCallFor } from "./open-call-of-message.ts";

const at = "2026-11-15T12:00:00.000Z";

test("openCallFor finds the call that waits for an answer, and messageIn the message in its result", () => {
  const view = new SessionView({ logId: "log-1" });
  view.apply({
    type: "tool_use",
    seq: 1,
    at,
    request_id: "toolu_1",
    tool: "mcp__team__send_message",
    input: { wait: true },
  });
  const sent = idOfCall("log-1", "toolu_1");
  expect(openCallFor(view, sent)).toBe("toolu_1");
  expect(openCallFor(view, idOfCall("log-1", "toolu_2"))).toBeUndefined();
  const result = {
    type: "tool_result",
    seq: 2,
    at,
    request_id: "toolu_1",
    output: answerWords(messageOf({ id: sent })),
    is_error: false,
  } as const;
  expect(messageIn(view, result)).toBe(sent);
  expect(messageIn(view, { ...result, request_id: "toolu_2" })).toBeUndefined();
});
