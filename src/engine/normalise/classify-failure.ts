import type { ErrorCode } from "../../wire/error-table.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";

/** The SDK's code for an API failure, and ours. `refusal` has a message of its own. */
const codeOfApiError = new Map<string, ErrorCode>([
  ["authentication_failed", "authentication_failed"],
  ["oauth_org_not_allowed", "authentication_failed"],
  ["account_on_hold", "authentication_failed"],
  ["verification_required", "authentication_failed"],
  ["cloud_credential_error", "authentication_failed"],
  ["billing_error", "billing_error"],
  ["rate_limit", "api_rate_limited"],
  ["overloaded", "overloaded"],
  ["invalid_request", "api_invalid_request"],
  ["model_not_found", "model_not_found"],
  ["max_output_tokens", "max_output_tokens"],
  ["refusal", "model_refusal"],
]);

const codeOfStatus = new Map<number, ErrorCode>([
  [400, "api_invalid_request"],
  [401, "authentication_failed"],
  [403, "authentication_failed"],
  [404, "model_not_found"],
  [413, "prompt_too_long"],
  [429, "api_rate_limited"],
  [529, "overloaded"],
]);

const codeOfTerminalReason = new Map<string, ErrorCode>([
  ["prompt_too_long", "prompt_too_long"],
  ["image_error", "api_invalid_request"],
  ["max_turns", "max_turns"],
  ["budget_exhausted", "budget_exhausted"],
]);

/** What the SDK knows of a failed request or turn; every part may be missing. */
export interface FailureFacts {
  apiError?: string | undefined;
  status?: number | null | undefined;
  terminalReason?: string | undefined;
  text: string;
}

/**
 * The closest code: first the terminal reason, then the SDK's own code unless it is as general as `server_error` or
 * `unknown`, then the status. A failure without a status had no response.
 */
export function classifyFailure({
  apiError = "unknown",
  status,
  terminalReason = "",
}: Omit<FailureFacts, "text">): ErrorCode {
  const exact = codeOfTerminalReason.get(terminalReason) ?? codeOfApiError.get(apiError);
  if (exact) return exact;
  if (typeof status !== "number") return "api_unreachable";
  return codeOfStatus.get(status) ?? (status >= 500 ? "api_server_error" : "api_invalid_request");
}

/** The CLI's text when it cannot find the session to resume. */
export const saysUnknownSession = (text: string): boolean => text.includes("No conversation found");

/** A failed turn as an error with a hint. */
export function failureOf(facts: FailureFacts): ClaudeCodeError {
  const message =
    facts.text === "" ? "The model's API returned an error without a message." : facts.text;
  const data = typeof facts.status === "number" ? { status: facts.status } : undefined;
  return errorOf(classifyFailure(facts), message, data ? { data } : {});
}
