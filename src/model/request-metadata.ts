import type { DeniedCall, EngineEvent, ModelTokens, TurnEndedEvent } from "../engine/index.ts";
import type { TranscriptCost } from "../engine/recovery/index.ts";
import { costBefore, costSince } from "../engine/recovery/index.ts";
import type { TokenUsage } from "../wire/session/shared-schemas.ts";

/** How a request went. */
export interface RequestMetadata {
  /** For continuing: `resume` takes it. */
  sessionId: string;
  /** Of this request alone, also in a resumed session. */
  costUsd: number;
  durationMs: number;
  /** How often the model was called. */
  turns: number;
  usage: TokenUsage;
  /** Counted like the cost. */
  usageByModel: Record<string, ModelTokens>;
  /** Calls that were refused. */
  permissionDenials: DeniedCall[];
}

/** The session that a request continues, if it does. */
interface Origin {
  resume?: string | undefined;
  continueLatest?: boolean;
  env?: Record<string, string> | undefined;
}

/**
 * Collects a request's metadata. Claude Code counts costs over the whole session; here they are the request's own.
 */
export class MetadataReader {
  readonly #origin: Origin;
  #sessionId = "";
  #before: TranscriptCost | undefined;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  take(event: EngineEvent): void {
    if (event.type !== "ready") return;
    this.#sessionId = event.session_id;
    const { resume, continueLatest, env } = this.#origin;
    if (resume === undefined && !continueLatest) return;
    this.#before ??= costBefore(env, event.session_id);
  }

  read(turn: TurnEndedEvent): RequestMetadata {
    const { costUsd, byModel } = costSince(turn, this.#before);
    return {
      sessionId: this.#sessionId,
      costUsd,
      durationMs: turn.duration_ms,
      turns: turn.model_turns,
      usage: turn.usage,
      usageByModel: byModel,
      permissionDenials: turn.denials,
    };
  }
}
