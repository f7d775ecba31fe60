import { expect, test } from "vitest";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { decisionHint } from "./request-line.ts";

const question = { question: "Which?", header: "h", multiSelect: false, options: [] };

test("decisionHint shows one answer for each question", () => {
  const request = { type: "question", request_id: "q1", questions: [question, question] };
  expect(decisionHint(request as unknown as PendingRequest)).toBe("switchboard answer q1 1 1");
});
