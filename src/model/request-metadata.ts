import type { DeniedCall, ModelTokens, TurnEndedEvent } from "../engine/events.ts";
import type { TokenUsage } from "../wire/session-terms.ts";

/** How a request went. */
export interface RequestMetadata {
  /** To go on with: `resume` takes it. */
  sessionId: string;
  costUsd: number;
  durationMs: number;
  /** How often the model was asked. */
  turns: number;
  usage: TokenUsage;
  usageByModel: Record<string, ModelTokens>;
  /** Calls that were refused. */
  permissionDenials: DeniedCall[];
}

export function metadataOf(turn: TurnEndedEvent, sessionId: string): RequestMetadata {
  return {
    sessionId,
    costUsd: turn.total_cost_usd,
    durationMs: turn.duration_ms,
    turns: turn.model_turns,
    usage: turn.usage,
    usageByModel: turn.model_usage,
    permissionDenials: turn.denials,
  };
}
