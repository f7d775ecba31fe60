import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { ErrorCode } from "../../wire/error-table.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { StopReason } from "../../wire/session/turn-events.ts";
import { isRecord } from "../../wire/json.ts";
import type { ModelTokens, TurnEndedEvent } from "../events.ts";
import type { ConversationState } from "./normaliser-state.ts";
import type { Emit } from "./emit-event.ts";
import { asJson } from "./emit-event.ts";
import { failureOf, saysUnknownSession } from "./classify-failure.ts";
import { countOf, textOf, textsOf } from "./read-leniently.ts";

/** The end of a turn. The SDK reports an API failure as a success with `is_error`; here it is an error. */
export function normaliseResult(
  message: SDKResultMessage,
  state: ConversationState,
  emit: Emit,
): void {
  state.streamed.endTurn(emit);
  const outcome = outcomeOf(message, state);
  const { usage } = message;
  emit({
    type: "turn_ended",
    messages: textsOf(message.user_message_uuids),
    stop_reason: outcome.stopReason,
    text: message.subtype === "success" && !message.is_error ? textOf(message.result) : "",
    duration_ms: Math.round(countOf(message.duration_ms)),
    usage: {
      input_tokens: countOf(usage?.input_tokens),
      output_tokens: countOf(usage?.output_tokens),
      cache_read_input_tokens: countOf(usage?.cache_read_input_tokens),
      cache_creation_input_tokens: countOf(usage?.cache_creation_input_tokens),
    },
    total_cost_usd: countOf(message.total_cost_usd),
    ...detailsOf(message),
    ...(outcome.error && { error: toWire(outcome.error) }),
  });
  state.failure = undefined;
  state.compacting = false;
  state.taken.length = 0;
}

type Details = Pick<
  TurnEndedEvent,
  "model_turns" | "model_usage" | "denials" | "structured_output"
>;

function detailsOf(message: SDKResultMessage): Details {
  const structured = message.subtype === "success" ? message.structured_output : undefined;
  return {
    model_turns: countOf(message.num_turns),
    model_usage: tokensByModel(message.modelUsage),
    denials: (message.permission_denials ?? []).map((denial) => ({
      request_id: denial.tool_use_id,
      tool: denial.tool_name,
      input: asJson(denial.tool_input),
    })),
    ...(structured !== undefined && { structured_output: asJson(structured) }),
  };
}

/** Reads what the CLI reports at the end of a turn, or leaves in the session's file at its end. */
export function tokensByModel(usage: unknown): Record<string, ModelTokens> {
  const counts = isRecord(usage) ? Object.entries(usage) : [];
  const entries = counts.map(([model, each]) => {
    const count = (key: string): number => countOf(isRecord(each) ? each[key] : undefined);
    return [
      model,
      {
        input_tokens: count("inputTokens"),
        output_tokens: count("outputTokens"),
        cache_read_input_tokens: count("cacheReadInputTokens"),
        cache_creation_input_tokens: count("cacheCreationInputTokens"),
        cost_usd: count("costUSD"),
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

interface Outcome {
  stopReason: StopReason;
  error?: ClaudeCodeError;
}

function outcomeOf(message: SDKResultMessage, state: ConversationState): Outcome {
  const terminalReason = textOf(message.terminal_reason);
  if (message.subtype === "success") {
    // A message with priority `now` interrupts the answer, and the SDK calls that a success.
    if (terminalReason.startsWith("aborted")) return { stopReason: "interrupted" };
    if (!message.is_error) return { stopReason: stopReasonOf(message.stop_reason) };
    const error = failureOf({
      apiError: state.failure?.apiError,
      status: message.api_error_status,
      terminalReason,
      text: textOf(message.result) || textOf(state.failure?.text),
    });
    return { stopReason: stopReasonOfError[error.code] ?? "failed", error };
  }
  if (terminalReason.startsWith("aborted")) return { stopReason: "aborted" };
  const text = textsOf(message.errors).join("\n");
  switch (message.subtype) {
    case "error_max_turns":
      return {
        stopReason: "max_turns",
        error: errorOf("max_turns", text || "The turn limit was reached."),
      };
    case "error_max_budget_usd":
      return {
        stopReason: "budget_exhausted",
        error: errorOf("budget_exhausted", text || "The budget is spent."),
      };
    default:
      return { stopReason: "failed", error: executionError(text) };
  }
}

/** Failures that determine why the turn stopped. */
const stopReasonOfError: Partial<Record<ErrorCode, StopReason>> = {
  model_refusal: "refused",
  max_output_tokens: "max_output_tokens",
  prompt_too_long: "prompt_too_long",
};

function executionError(text: string): ClaudeCodeError {
  const code = saysUnknownSession(text) ? "session_not_found" : "execution_failed";
  return errorOf(code, text || "Claude Code ended the turn without a reason.");
}

function stopReasonOf(reason: string | null): StopReason {
  if (reason === "max_tokens") return "max_output_tokens";
  return reason === "refusal" ? "refused" : "completed";
}
