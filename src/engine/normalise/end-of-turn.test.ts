import { describe, expect, it } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import type { Sample } from "../../../test/support/sdk-messages.ts";
import { assistant, failedResult, result, textBlock } from "../../../test/support/sdk-messages.ts";
import type { TurnEndedEvent } from "../events.ts";

/** The turns that end in these messages. */
function ended(...samples: Sample[]): TurnEndedEvent[] {
  return normalised(...samples).filter((event) => event.type === "turn_ended");
}

const brief = ({ stop_reason, text, error }: TurnEndedEvent): string[] =>
  [stop_reason, text, error?.code ?? "", error?.message ?? ""].filter(Boolean);

const apiFailure = (fields: object = {}): Sample =>
  result({ is_error: true, terminal_reason: "api_error", result: "API Error", ...fields });

const failedWith = (error: string, text = "API Error"): Sample =>
  assistant("E", [textBlock(text)], { error });

describe("a sub-agent that failed", () => {
  const failed = { ...failedWith("authentication_failed", "No key"), parent_tool_use_id: "agent" };

  it("is not the reason why the turn failed", () => {
    const end = apiFailure({ api_error_status: 529, result: "Overloaded" });
    const [turn] = ended(failed, end);
    expect(turn && brief(turn)).toEqual(["failed", "overloaded", "Overloaded"]);
  });

  it("has its last text reported, as its own", () => {
    expect(normalised(failed)).toEqual([
      { type: "text_delta", block: 0, text: "No key", parent: "agent" },
    ]);
  });
});

describe("a turn that went well", () => {
  it("ends with its text, its messages, its tokens, and the CLI's total cost", () => {
    expect(ended(result())).toEqual([
      {
        type: "turn_ended",
        messages: ["M1"],
        stop_reason: "completed",
        text: "All done.",
        duration_ms: 1235,
        usage: {
          input_tokens: 100,
          output_tokens: 20,
          cache_read_input_tokens: 7,
          cache_creation_input_tokens: 3,
        },
        total_cost_usd: 0.25,
        model_turns: 1,
        model_usage: {},
        denials: [],
      },
    ]);
  });

  it("reports the tokens of each model, the denials, and the requested object", () => {
    const opus = { inputTokens: 5, outputTokens: 6, cacheReadInputTokens: 7, costUSD: 0.5 };
    const denied = { tool_name: "Bash", tool_use_id: "T1", tool_input: { command: "ls" } };
    const sample = result({
      modelUsage: { opus },
      permission_denials: [denied],
      structured_output: { n: 1 },
    });
    expect(ended(sample)).toMatchObject([
      {
        model_usage: {
          opus: {
            input_tokens: 5,
            output_tokens: 6,
            cache_read_input_tokens: 7,
            cache_creation_input_tokens: 0,
            cost_usd: 0.5,
          },
        },
        denials: [{ request_id: "T1", tool: "Bash", input: { command: "ls" } }],
        structured_output: { n: 1 },
      },
    ]);
  });

  it.each([
    ["end_turn", "completed"],
    ["stop_sequence", "completed"],
    [null, "completed"],
    ["max_tokens", "max_output_tokens"],
    ["refusal", "refused"],
  ])("after the model's %s its reason is %s", (stop_reason, told) => {
    expect(ended(result({ stop_reason }))[0]?.stop_reason).toBe(told);
  });
});

describe("a turn that was cut", () => {
  it.each(["aborted_streaming", "aborted_tools"])(
    "by a message with priority `now`: %s",
    (reason) => {
      const turns = ended(result({ terminal_reason: reason }));
      expect(turns.map(brief)).toEqual([["interrupted", "All done."]]);
    },
  );

  it.each(["aborted_streaming", "aborted_tools"])("by the person: %s is no error", (reason) => {
    const turns = ended(
      failedResult("error_during_execution", { terminal_reason: reason, errors: ["aborted"] }),
    );
    expect(turns.map(brief)).toEqual([["aborted"]]);
  });
});

describe("a turn that failed", () => {
  it("at the API has the code of the failure and no text, though the SDK reports a success", () => {
    const [turn] = ended(failedWith("overloaded"), apiFailure({ api_error_status: 529 }));
    expect(turn).toMatchObject({
      stop_reason: "failed",
      text: "",
      error: { code: "overloaded", message: "API Error", retryable: true, data: { status: 529 } },
    });
  });

  it("takes the error text from the conversation where the result has none", () => {
    const turns = ended(failedWith("billing_error", "No credit left"), apiFailure({ result: "" }));
    expect(turns.map(brief)).toEqual([["failed", "billing_error", "No credit left"]]);
  });

  it("does not carry its failure over to the next turn", () => {
    const turns = ended(
      failedWith("billing_error"),
      apiFailure(),
      apiFailure({ api_error_status: 500 }),
    );
    expect(turns.map((turn) => turn.error?.code)).toEqual(["billing_error", "api_server_error"]);
  });

  it("by a refusal reports the refusal, whatever error is behind it", () => {
    const refusal = {
      type: "system",
      subtype: "model_refusal_no_fallback",
      content: "It declined.",
    };
    const turns = ended(refusal, failedWith("unknown"), apiFailure({ result: "" }));
    expect(turns.map(brief)).toEqual([["refused", "model_refusal", "It declined."]]);
  });

  it.each([
    ["max_output_tokens", {}, "max_output_tokens"],
    ["invalid_request", { terminal_reason: "prompt_too_long" }, "prompt_too_long"],
  ])("by %s has a stop reason of its own", (error, fields, reason) => {
    expect(ended(failedWith(error), apiFailure(fields))[0]?.stop_reason).toBe(reason);
  });

  it.each([
    ["error_max_turns", [], ["max_turns", "max_turns", "The turn limit was reached."]],
    ["error_max_budget_usd", ["Spent."], ["budget_exhausted", "budget_exhausted", "Spent."]],
    ["error_max_structured_output_retries", ["No."], ["failed", "execution_failed", "No."]],
    ["error_during_execution", ["One.", "Two."], ["failed", "execution_failed", "One.\nTwo."]],
    [
      "error_during_execution",
      [],
      ["failed", "execution_failed", "Claude Code ended the turn without a reason."],
    ],
    [
      "error_during_execution",
      ["No conversation found with session ID: x"],
      ["failed", "session_not_found", "No conversation found with session ID: x"],
    ],
    ["error_of_tomorrow", ["New."], ["failed", "execution_failed", "New."]],
  ])("by %s %j", (subtype, errors, expected) => {
    expect(ended(failedResult(subtype, { errors })).map(brief)).toEqual([expected]);
  });
});
