import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { countOf } from "./normalise/lenient.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;

/**
 * Notices that the model has fallen silent. The CLI itself waits five minutes for the next byte of an
 * answer; a person wants to know sooner. Silence counts only while an answer is due: not while a tool
 * runs, a decision is pending, or the CLI waits before it tries again.
 */
export class StallWatch {
  readonly #stallMs: number;
  readonly #onStall: (silentMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #streaming = false;

  constructor(stallMs: number, onStall: (silentMs: number) => void) {
    this.#stallMs = stallMs;
    this.#onStall = onStall;
  }

  take(message: SDKMessage): void {
    if (message.type === "stream_event") {
      this.#streaming = message.event?.type !== "message_stop";
      this.#expect(this.#streaming ? this.#stallMs : undefined);
    } else if (message.type === "system") {
      this.#takeSystem(message);
    } else if (message.type === "result" || (message.type === "assistant" && !this.#streaming)) {
      this.#expect(undefined);
    }
  }

  stop(): void {
    this.#expect(undefined);
  }

  #takeSystem(message: SystemMessage): void {
    if (message.subtype === "thinking_tokens") {
      // Thoughts that are not shown are not streamed either; this is their only sign.
      if (this.#timer) this.#expect(this.#stallMs);
    } else if (message.subtype === "status") {
      // Nothing is told of a summary before it is whole.
      if (message.status === "compacting") this.#expect(undefined);
      if (message.status === "requesting") this.#expect(this.#stallMs);
    } else if (message.subtype === "api_retry") {
      this.#streaming = false;
      this.#expect(this.#stallMs + countOf(message.retry_delay_ms));
    }
  }

  #expect(withinMs: number | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (withinMs === undefined) return;
    this.#timer = setTimeout(() => this.#onStall(withinMs), withinMs);
    this.#timer.unref();
  }
}
