import { expect, test } from "vitest";
import type { PermissionRequest } from "../../../engine/permission.ts";
import type { Answers } from "../../../wire/session/terms.ts";
import { decisionOf } from "./decisions.ts";

const options = [{ label: "Red" }, { label: "Blue" }];
const request: PermissionRequest = {
  request_id: "q",
  tool: "AskUserQuestion",
  input: {
    questions: [
      { question: "Which colour?", options },
      { question: "Which colours?", options, multiSelect: true },
    ],
  },
  suggestions: [],
  signal: AbortSignal.any([]),
};

const decide = (answers: Answers) =>
  decisionOf({ type: "answer", request_id: "q", answers }, request).decision;

test("decisionOf assigns answers to the questions that were asked", () => {
  expect(decide({ "Which colour?": "Green", "Which colours?": ["Red", "Blue"] })).toMatchObject({
    updated_input: { answers: { "Which colour?": "Green", "Which colours?": "Red, Blue" } },
  });
});

test.each<[string, Answers]>([
  ["This request has no question: What?", { "What?": "Red" }],
  ["This question takes one answer: Which colour?", { "Which colour?": ["Red", "Blue"] }],
])("%s", (message, answers) => {
  expect(() => decide(answers)).toThrow(
    expect.objectContaining({ code: "invalid_params", message }),
  );
});
