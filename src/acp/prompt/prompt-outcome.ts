import type { PromptResponse } from "@agentclientprotocol/sdk";
import type { SessionEventOf } from "../../client/index.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { fromWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";

type StopReason = SessionEventOf<"done">["stop_reason"];
type TurnError = SessionEventOf<"error">;

/** How a prompt is answered. */
export type PromptOutcome =
  | { readonly ok: true; readonly response: PromptResponse }
  | { readonly ok: false; readonly error: ClaudeCodeError };

export const cancelled: PromptOutcome = { ok: true, response: { stopReason: "cancelled" } };

export const failedWith = (error: ClaudeCodeError): PromptOutcome => ({ ok: false, error });

/** ACP's words for the ends that it knows. The others are errors. */
const stopReasons: Partial<Record<StopReason, PromptResponse["stopReason"]>> = {
  completed: "end_turn",
  aborted: "cancelled",
  interrupted: "cancelled",
  denied: "cancelled",
  refused: "refusal",
  max_turns: "max_turn_requests",
  budget_exhausted: "max_turn_requests",
  max_output_tokens: "max_tokens",
  prompt_too_long: "max_tokens",
};

/** For an end without an error event before it. */
const codes: Partial<Record<StopReason, ErrorCode>> = {
  cli_lost: "cli_exited",
  host_lost: "connection_lost",
};

/** @param error the error that the turn reported, if it did. */
export function outcomeOf(reason: StopReason, error: TurnError | undefined): PromptOutcome {
  const stopReason = stopReasons[reason];
  if (stopReason !== undefined) return { ok: true, response: { stopReason } };
  if (error) return failedWith(fromWire(error));
  const code = codes[reason] ?? "execution_failed";
  return failedWith(errorOf(code, `The turn ended early (${reason}).`, { data: { reason } }));
}
