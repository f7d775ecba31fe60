import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isErrorCode } from "../../wire/error-table.ts";
import type { FailureFacts } from "./classify-failure.ts";
import { classifyFailure, failureOf, saysUnknownSession } from "./classify-failure.ts";

describe("classifyFailure", () => {
  it.each<[string, Omit<FailureFacts, "text">, string]>([
    [
      "the terminal reason beats all",
      { terminalReason: "prompt_too_long", apiError: "overloaded", status: 500 },
      "prompt_too_long",
    ],
    [
      "image_error is the request's fault",
      { terminalReason: "image_error", status: 413 },
      "api_invalid_request",
    ],
    ["max_turns", { terminalReason: "max_turns" }, "max_turns"],
    ["budget_exhausted", { terminalReason: "budget_exhausted" }, "budget_exhausted"],
    [
      "a reason that says nothing leaves the word",
      { terminalReason: "api_error", apiError: "rate_limit", status: 529 },
      "api_rate_limited",
    ],
    ["authentication_failed", { apiError: "authentication_failed" }, "authentication_failed"],
    ["oauth_org_not_allowed", { apiError: "oauth_org_not_allowed" }, "authentication_failed"],
    ["account_on_hold", { apiError: "account_on_hold" }, "authentication_failed"],
    ["verification_required", { apiError: "verification_required" }, "authentication_failed"],
    ["cloud_credential_error", { apiError: "cloud_credential_error" }, "authentication_failed"],
    ["billing_error", { apiError: "billing_error", status: 400 }, "billing_error"],
    ["overloaded", { apiError: "overloaded" }, "overloaded"],
    ["invalid_request", { apiError: "invalid_request", status: 400 }, "api_invalid_request"],
    ["model_not_found", { apiError: "model_not_found" }, "model_not_found"],
    ["max_output_tokens", { apiError: "max_output_tokens" }, "max_output_tokens"],
    ["a refusal", { apiError: "refusal" }, "model_refusal"],
    ["a general word leaves the status", { apiError: "server_error", status: 529 }, "overloaded"],
    ["status 400", { apiError: "unknown", status: 400 }, "api_invalid_request"],
    ["status 401", { status: 401 }, "authentication_failed"],
    ["status 403", { status: 403 }, "authentication_failed"],
    ["status 404", { status: 404 }, "model_not_found"],
    ["status 413", { status: 413 }, "prompt_too_long"],
    ["status 429", { status: 429 }, "api_rate_limited"],
    ["another status of the server", { status: 503 }, "api_server_error"],
    ["another status of the request", { status: 418 }, "api_invalid_request"],
    ["no status: no answer", { apiError: "server_error", status: null }, "api_unreachable"],
    ["nothing known", {}, "api_unreachable"],
  ])("%s", (_name, facts, code) => {
    expect(classifyFailure(facts)).toBe(code);
  });

  it("returns a code for any texts and numbers", () => {
    const word = fc.oneof(fc.string(), fc.constantFrom("constructor", "__proto__", "toString"));
    fc.assert(
      fc.property(word, word, fc.option(fc.integer()), (apiError, terminalReason, status) => {
        const code = classifyFailure({ apiError, terminalReason, status });
        expect(code).toSatisfy(isErrorCode);
      }),
    );
  });
});

describe("failureOf", () => {
  it("keeps the text and the status", () => {
    expect(failureOf({ text: "Too many.", status: 429 })).toMatchObject({
      code: "api_rate_limited",
      message: "Too many.",
      data: { status: 429 },
    });
  });

  it("has a text of its own for a failure without one", () => {
    const { message, data } = failureOf({ text: "" });
    expect(message).toBe("The model's API returned an error without a message.");
    expect(data).toBeUndefined();
  });
});

it("recognises the CLI's text for an unknown session", () => {
  expect(saysUnknownSession("No conversation found with session ID: 1-2-3")).toBe(true);
  expect(saysUnknownSession("Execution error")).toBe(false);
});
