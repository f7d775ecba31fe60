import type { WireError } from "../../wire/error-wire.ts";
import type { StopReason } from "../../wire/session/turn-events.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { TokenUsage } from "../../wire/session/shared-schemas.ts";
import type { Inbox } from "./inbox.ts";
import type { Recorder } from "./event-recorder.ts";

type Cause = SessionEventOf<"turn_started">["cause"];

/** A turn that a crash cut and that the next CLI resumes. */
interface Resumption {
  stopReason: "cli_lost" | "host_lost";
  /** The turn's messages. */
  messages: readonly string[];
}

export interface TurnEnd {
  stopReason: StopReason;
  messages: readonly string[];
  usage?: TokenUsage;
  costUsd?: number;
  durationMs?: number;
  error?: WireError | undefined;
  /** The turn's messages stay open, and the session goes on with them at this time. */
  continueAt?: string | undefined;
}

const noUsage: TokenUsage = { input_tokens: 0, output_tokens: 0 };

/**
 * The turns of the log: each begins once and ends once. A turn that a crash cut ends as lost, without messages, at
 * the moment when another turn takes its messages over: until then the state holds all that recovery needs.
 */
export class Turns {
  readonly #recorder: Recorder;
  readonly #inbox: Inbox;
  #resumption: Resumption | undefined;
  #usage = noUsage;
  #startedAt = performance.now();
  /** Why this turn is being ended, if not by a person's abort. */
  #endsAs: "denied" | "interrupted" | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(recorder: Recorder, inbox: Inbox) {
    this.#recorder = recorder;
    this.#inbox = inbox;
  }

  get isOpen(): boolean {
    return this.#recorder.state.turn !== undefined;
  }

  /** A cut turn has not been resumed yet. */
  get awaitsResumption(): boolean {
    return this.#resumption !== undefined;
  }

  /** The new CLI resumes what was cut. */
  expectResumption(resumption: Resumption): void {
    this.#resumption = resumption;
  }

  forgetResumption(): void {
    this.#resumption = undefined;
  }

  begin(messages: readonly string[], cause: Cause): void {
    const resumption = this.#resumption;
    this.#resumption = undefined;
    if (resumption) {
      if (this.isOpen) this.#end({ stopReason: resumption.stopReason, messages: [] });
      this.#start([...new Set([...resumption.messages, ...messages])], "resume");
    } else if (!this.isOpen) {
      this.#start(messages, cause);
    }
  }

  /** Something happens that belongs to a turn. A turn that no message started has the cause `background`. */
  ensure(): void {
    if (!this.isOpen || this.#resumption) this.begin([], "background");
  }

  addUsage(usage: TokenUsage): TokenUsage {
    this.#usage = sumOf(this.#usage, usage);
    return this.#usage;
  }

  /** A denial ends the open turn, or a message interrupts it; undefined: a person's abort after all. */
  endsAs(reason: "denied" | "interrupted" | undefined): void {
    this.#endsAs = reason;
  }

  end({ stopReason, ...end }: TurnEnd): void {
    this.#resumption = undefined;
    if (!this.isOpen) this.#start(end.messages, "message");
    this.#end({
      stopReason: stopReason === "aborted" ? (this.#endsAs ?? stopReason) : stopReason,
      ...end,
    });
    this.#recorder.settle();
  }

  /**
   * Ends a cut turn that will not be resumed. Even without an open turn there may be messages that it had.
   *
   * @param answer what the model had said in full. The log may have the beginning of it, or nothing.
   */
  endAsLost({ stopReason, messages }: Resumption, answer: readonly string[] = []): void {
    this.#resumption = undefined;
    if (!this.isOpen && messages.length === 0) return;
    if (!this.isOpen) this.#start(messages, "resume");
    this.#sayAnew(answer);
    this.#end({ stopReason, messages });
    this.#recorder.settle();
  }

  /** Resolves when no turn is open. */
  async ended(): Promise<void> {
    while (this.isOpen) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** With the messages of a turn that a usage limit has ended, with which the session goes on. */
  #withOpen(messages: readonly string[]): string[] {
    const open = this.#recorder.state.continuation?.planned.messages ?? [];
    return [...new Set([...open, ...messages])];
  }

  #plan(turn_id: string, due: string, messages: string[]): void {
    const id = continuationId(turn_id);
    this.#recorder.record({ type: "continuation_planned", turn_id, due, messages, id });
    this.#recorder.record({
      type: "notice",
      code: "rate_limit",
      message: `The usage limit is reached. The session goes on by itself at ${due}.`,
      data: { continues_at: due },
    });
  }

  #sayAnew(answer: readonly string[]): void {
    if (answer.length === 0) return;
    const { said = [], nextBlock = 0 } = this.#recorder.state.turn ?? {};
    for (const block of said) this.#recorder.record({ type: "retracted", block });
    for (const [index, text] of answer.entries()) {
      this.#recorder.record({ type: "text_delta", block: nextBlock + index, text });
    }
  }

  #start(messages: readonly string[], cause: Cause): void {
    this.#usage = noUsage;
    this.#startedAt = performance.now();
    this.#endsAs = undefined;
    this.#recorder.record({
      type: "turn_started",
      turn_id: this.#recorder.newTurnId(),
      messages: messages.length === 0 ? [] : this.#withOpen(messages),
      cause,
    });
    this.#recorder.settle();
  }

  #end({ stopReason, messages, usage, costUsd = 0, durationMs, ...end }: TurnEnd): void {
    const { turn } = this.#recorder.state;
    if (!turn) return;
    const { error, continueAt } = end;
    if (error) this.#recorder.record({ type: "error", ...error });
    const dealtWith = messages.length === 0 ? [] : this.#withOpen(messages);
    if (continueAt !== undefined) this.#plan(turn.turnId, continueAt, this.#withOpen(messages));
    this.#recorder.record({
      type: "done",
      turn_id: turn.turnId,
      messages: continueAt === undefined ? dealtWith : [],
      usage: usage ?? this.#usage,
      cost_usd: costUsd,
      duration_ms: durationMs ?? Math.round(performance.now() - this.#startedAt),
      stop_reason: stopReason,
    });
    this.#inbox.end(dealtWith);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** Unique in the log, and the same in every process that carries the plan out. */
const continuationId = (turnId: string): string => `continue-${turnId}`;

const add = (a = 0, b = 0): number => a + b;

function sumOf(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input_tokens: add(one.input_tokens, other.input_tokens),
    output_tokens: add(one.output_tokens, other.output_tokens),
    cache_read_input_tokens: add(one.cache_read_input_tokens, other.cache_read_input_tokens),
    cache_creation_input_tokens: add(
      one.cache_creation_input_tokens,
      other.cache_creation_input_tokens,
    ),
  };
}
