import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { toWire } from "../wire/error-wire.ts";
import { errorOf } from "../wire/errors.ts";
import type { StalledEvent } from "./events.ts";
import { countOf } from "./normalise/read-leniently.ts";
import { SilenceTimer } from "./silence-timer.ts";
import { SubagentWatch } from "./subagent-stall-watch.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
type StreamMessage = Extract<SDKMessage, { type: "stream_event" }>;

/** How many times longer a complete block may take than the next piece of a stream. */
const WHOLE_FACTOR = 3;

/**
 * Notices that the model has fallen silent. The CLI itself waits five minutes for the next byte of an answer; a
 * person wants to know sooner. Silence counts only while an answer is due: not while a tool runs, a decision is
 * pending, or the CLI waits before a retry.
 */
export class StallWatch {
  readonly #stallMs: number;
  readonly #answer: SilenceTimer;
  readonly #subagents: SubagentWatch;
  #streaming = false;
  #compacting = false;

  constructor(stallMs: number, onStall: (event: StalledEvent) => void) {
    this.#stallMs = stallMs;
    this.#answer = new SilenceTimer((silentMs) => onStall(stalled(silentMs)));
    this.#subagents = new SubagentWatch(stallMs * WHOLE_FACTOR, (silentMs, parent) =>
      onStall(stalled(silentMs, parent)),
    );
  }

  take(message: SDKMessage): void {
    const parent = "parent_tool_use_id" in message ? message.parent_tool_use_id : null;
    if (typeof parent === "string") this.#subagents.take(message, parent);
    else if (message.type === "stream_event") this.#takeStream(message);
    else if (message.type === "system") this.#takeSystem(message);
    else if (message.type === "assistant" && !this.#streaming) this.#answer.await(undefined);
    else if (message.type === "result") this.#endTurn();
  }

  stop(): void {
    this.#answer.await(undefined);
    this.#subagents.stop();
  }

  #takeStream(message: StreamMessage): void {
    this.#streaming = message.event?.type !== "message_stop";
    if (this.#streaming) this.#answer.await(this.#stallMs);
    // The CLI has given up on a stream, and requests the whole answer at once without reporting it.
    else this.#answer.await("abandoned_blocks" in message ? this.#wholeMs : undefined);
  }

  #takeSystem(message: SystemMessage): void {
    this.#subagents.takeSystem(message);
    if (message.subtype === "thinking_tokens") {
      // Hidden thoughts are not streamed; this is their only sign.
      if (this.#answer.isAwaited) this.#answer.await(this.#dueMs);
    } else if (message.subtype === "status") {
      this.#takeStatus(message.status);
    } else if (message.subtype === "api_retry") {
      this.#streaming = false;
      this.#answer.await(this.#dueMs + countOf(message.retry_delay_ms));
    }
  }

  #takeStatus(status: string | null): void {
    if (status === "compacting") {
      // The CLI reports it repeatedly during a compaction: only its beginning counts.
      if (!this.#compacting) this.#answer.await(this.#wholeMs);
      this.#compacting = true;
      return;
    }
    if (this.#compacting) this.#answer.await(undefined);
    this.#compacting = false;
    if (status === "requesting") this.#answer.await(this.#stallMs);
  }

  #endTurn(): void {
    this.#streaming = false;
    this.#compacting = false;
    this.#answer.await(undefined);
    this.#subagents.endTurn();
  }

  /** How soon the next piece of the answer is due. */
  get #dueMs(): number {
    return this.#compacting ? this.#wholeMs : this.#stallMs;
  }

  get #wholeMs(): number {
    return this.#stallMs * WHOLE_FACTOR;
  }
}

function stalled(silent_ms: number, parent?: string): StalledEvent {
  const who = parent === undefined ? "The model" : "The model of a sub-agent";
  const message = `${who} has sent nothing for ${Math.round(silent_ms / 1000)} s.`;
  const data = { silent_ms, ...(parent !== undefined && { parent }) };
  return { type: "stalled", ...data, error: toWire(errorOf("stalled", message, { data })) };
}
