import { expect, test } from "vitest";
import type { JsonObject } from "../../../wire/json.ts";
import { requestDraft } from "./request-draft.ts";

const askedWith = (input: JsonObject) => ({
  request_id: "a",
  tool: "ExitPlanMode",
  input,
  suggestions: [],
  signal: AbortSignal.timeout(1_000),
});

test.each([
  { of: "the CLI's own", input: { plan: "look" }, call: { plan: "leap" }, plan: "look" },
  { of: "the call's, where the CLI has none", input: {}, call: { plan: "leap" }, plan: "leap" },
  {
    of: "the call's, where the CLI's is empty",
    input: { plan: "" },
    call: { plan: "leap" },
    plan: "leap",
  },
  { of: "empty, where neither has one", input: {}, call: undefined, plan: "" },
])("the plan that a person is asked about is $of", ({ input, call, plan }) => {
  const draft = requestDraft(askedWith(input), { request_id: "a" }, { call });
  expect(draft).toEqual({ type: "plan", request_id: "a", plan });
});
