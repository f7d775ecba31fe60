import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { countOf } from "./normalise/read-leniently.ts";
import { SilenceTimer } from "./silence-timer.ts";

type SystemMessage = Extract<SDKMessage, { type: "system" }>;
type ToolProgress = Extract<SDKMessage, { type: "tool_progress" }>;
type BlockMessage = Extract<SDKMessage, { type: "assistant" | "user" }>;

interface Watched {
  readonly silence: SilenceTimer;
  /** The turn does not wait for it and may end before it. */
  readonly background: boolean;
  /** Its own calls that run, or wait for a decision. */
  readonly calls: Set<string>;
}

/**
 * Notices that a sub-agent's model has fallen silent. Only its complete blocks arrive, so the time is longer than for
 * a stream.
 */
export class SubagentWatch {
  readonly #silentMs: number;
  readonly #onStall: (silentMs: number, parent: string) => void;
  /** By the call that started the sub-agent. */
  readonly #watched = new Map<string, Watched>();

  constructor(silentMs: number, onStall: (silentMs: number, parent: string) => void) {
    this.#silentMs = silentMs;
    this.#onStall = onStall;
  }

  /** Takes a message of a sub-agent. */
  take(message: SDKMessage, parent: string): void {
    const watched = this.#watched.get(parent);
    if (!watched) return;
    if (message.type === "assistant" || message.type === "user") followCalls(message, watched);
    const waitMs = message.type === "tool_progress" ? retryDelayOf(message) : 0;
    watched.silence.await(watched.calls.size > 0 ? undefined : this.#silentMs + waitMs);
  }

  /** Takes a message of the CLI about its tasks. */
  takeSystem(message: SystemMessage): void {
    if (message.subtype === "task_started") {
      const { tool_use_id: parent, is_backgrounded: background = false } = message;
      // Other tasks are commands, which need no model.
      if (parent === undefined || message.task_type !== "local_agent") return;
      const silence = new SilenceTimer((silentMs) => this.#onStall(silentMs, parent));
      this.#watched.set(parent, { silence, background, calls: new Set() });
      silence.await(this.#silentMs);
    } else if (message.subtype === "task_notification" && message.tool_use_id !== undefined) {
      this.#end(message.tool_use_id);
    }
  }

  /** The turn has ended, and everything that it waited for. */
  endTurn(): void {
    for (const [parent, { background }] of this.#watched) if (!background) this.#end(parent);
  }

  stop(): void {
    for (const parent of this.#watched.keys()) this.#end(parent);
  }

  #end(parent: string): void {
    this.#watched.get(parent)?.silence.await(undefined);
    this.#watched.delete(parent);
  }
}

function followCalls({ message }: BlockMessage, { calls }: Watched): void {
  if (!Array.isArray(message?.content)) return;
  for (const block of message.content) {
    if (block?.type === "tool_use") calls.add(block.id);
    if (block?.type === "tool_result") calls.delete(block.tool_use_id);
  }
}

/** How long the CLI waits before it calls the sub-agent's model again. */
const retryDelayOf = ({ subagent_retry: retry }: ToolProgress): number =>
  countOf(retry?.retry_delay_ms);
