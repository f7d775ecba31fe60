import { expect, test } from "vitest";
import type { PermissionRequest } from "../../../engine/ask-permission.ts";
import type { Answers } from "../../../wire/session/shared-schemas.ts";
import { decisionOf } from "./decision-for-cli-and-log.ts";

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

const plan = { ...request, tool: "ExitPlanMode", input: { plan: "look" } };
const approve = { type: "approve", request_id: "q", scope: "once" } as const;

test("[SES-43] decisionOf refuses `updated_input` for a plan, which has its edited text in `plan`", () => {
  expect(() => decisionOf({ ...approve, updated_input: { plan: "less" } }, plan)).toThrow(
    expect.objectContaining({
      code: "invalid_params",
      hint: "Pass the edited plan in the field plan.",
    }),
  );
  expect(decisionOf({ ...approve, plan: "less" }, plan)).toMatchObject({
    decision: { updated_input: { plan: "less" } },
    resolution: { outcome: "allowed", plan: "less" },
  });
});

test("[SES-43] decisionOf refuses to go on after a plan in a mode that the CLI cannot be put into", () => {
  const how = { ...approve, mode: "bypassPermissions" } as const;
  const modes = ["default", "acceptEdits"] as const;
  expect(() => decisionOf(how, plan, modes)).toThrow(
    expect.objectContaining({
      code: "invalid_params",
      hint: "Use one of: default, acceptEdits.",
      data: { modes },
    }),
  );
  expect(decisionOf(how, plan, [...modes, "bypassPermissions"]).resolution).toMatchObject({
    mode: "bypassPermissions",
  });
});
