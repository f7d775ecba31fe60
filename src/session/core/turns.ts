import type { WireError } from "../../wire/error-wire.ts";
import type { StopReason } from "../../wire/session-events-turn.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { TokenUsage } from "../../wire/session-terms.ts";
import type { Inbox } from "./inbox.ts";
import type { Recorder } from "./recorder.ts";

type Cause = SessionEventOf<"turn_started">["cause"];

/** A turn that a crash has cut and that the next CLI takes up again. */
interface Resumption {
  stopReason: "cli_lost" | "host_lost";
  /** The messages that it is about. */
  messages: readonly string[];
}

export interface TurnEnd {
  stopReason: StopReason;
  messages: readonly string[];
  usage?: TokenUsage;
  costUsd?: number;
  durationMs?: number;
  error?: WireError | undefined;
}

const noUsage: TokenUsage = { input_tokens: 0, output_tokens: 0 };

/**
 * The turns of the log: each begins once and ends once. One that was cut by a crash ends as lost, without
 * a message to its name, at the moment in which another one takes its messages up: until then all that
 * recovery needs to know of it stands in the state.
 */
export class Turns {
  readonly #recorder: Recorder;
  readonly #inbox: Inbox;
  #resumption: Resumption | undefined;
  #usage = noUsage;
  #startedAt = performance.now();
  /** What has asked for the end of this turn, if it is not a person's abort. */
  #endsAs: "denied" | "interrupted" | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(recorder: Recorder, inbox: Inbox) {
    this.#recorder = recorder;
    this.#inbox = inbox;
  }

  get isOpen(): boolean {
    return this.#recorder.state.turn !== undefined;
  }

  /** A cut turn is still to be taken up. */
  get awaitsResumption(): boolean {
    return this.#resumption !== undefined;
  }

  /** The CLI that was just started goes on with what was cut. */
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

  /** Something happens that belongs to a turn. One that nobody asked for comes from the background. */
  ensure(): void {
    if (!this.isOpen || this.#resumption) this.begin([], "background");
  }

  addUsage(usage: TokenUsage): TokenUsage {
    this.#usage = sumOf(this.#usage, usage);
    return this.#usage;
  }

  /** The turn that is open now is made to end by a denial, or cut short by a message; undefined: by an abort after all. */
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
   * A cut turn that will not go on. Without an open one there may still be messages that it had.
   *
   * @param answer what the model had said to its end. The log may have the beginning of it, or nothing.
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

  #sayAnew(answer: readonly string[]): void {
    if (answer.length === 0) return;
    const { said = [], nextBlock = 0 } = this.#recorder.state.turn ?? {};
    for (const block of said) this.#recorder.tell({ type: "retracted", block });
    for (const [index, text] of answer.entries()) {
      this.#recorder.tell({ type: "text_delta", block: nextBlock + index, text });
    }
  }

  #start(messages: readonly string[], cause: Cause): void {
    this.#usage = noUsage;
    this.#startedAt = performance.now();
    this.#endsAs = undefined;
    this.#recorder.tell({
      type: "turn_started",
      turn_id: this.#recorder.newTurnId(),
      messages: [...messages],
      cause,
    });
    this.#recorder.settle();
  }

  #end({ stopReason, messages, usage, costUsd = 0, durationMs, error }: TurnEnd): void {
    const { turn } = this.#recorder.state;
    if (!turn) return;
    if (error) this.#recorder.tell({ type: "error", ...error });
    this.#recorder.tell({
      type: "done",
      turn_id: turn.turnId,
      messages: [...messages],
      usage: usage ?? this.#usage,
      cost_usd: costUsd,
      duration_ms: durationMs ?? Math.round(performance.now() - this.#startedAt),
      stop_reason: stopReason,
    });
    this.#inbox.end(messages);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

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
