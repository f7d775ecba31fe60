import type { RateLimitEvent } from "../../engine/index.ts";
import type { Timers } from "../../time/clock.ts";
import { toWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Recorder } from "./event-recorder.ts";
import type { Inbox } from "./inbox.ts";
import type { Turns } from "./open-and-end-turns.ts";

/** Who records name as the sender of the message. */
const SENDER = "continue-at-reset";
const TEXT =
  "The usage limit of the account, which had cut you off, has reset. Go on with what you were doing.";

/** The wall clock is read so often: a machine that slept, or whose clock was set, is late by no more. */
const LOOK_MS = 30_000;
/** A limit that has reset by its own time and still refuses is tried again after this. */
const LEAST_MS = 60_000;

export interface ContinuationParts {
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly timers: Timers;
  /** Milliseconds since 1970, as a person's clock says it: the reset is a time of day. */
  readonly wallMs?: (() => number) | undefined;
  /** Plans of an earlier host are kept also without. */
  readonly isOn: boolean;
}

/**
 * Goes on with a turn that the account's usage limit has ended, when the limit resets. The plan is an event of the log, and the
 * message that carries it out has an id of its own, which the inbox accepts once: so it happens once, whatever is killed.
 */
export class ContinueAtReset {
  readonly #parts: ContinuationParts;
  #resetsAtMs: number | undefined;
  #cancelTimer = (): void => {};

  constructor(parts: ContinuationParts) {
    this.#parts = parts;
  }

  limitIs({ status, resets_at: resetsAt }: RateLimitEvent): void {
    if (status === "rejected") {
      this.#resetsAtMs = resetsAt === undefined ? undefined : Date.parse(resetsAt);
    } else if (status === "allowed") this.#resetsAtMs = undefined;
  }

  /** When the turn that ends with this error goes on. Undefined when it does not. */
  dueAfter(error: { readonly code: string } | undefined): string | undefined {
    const { isOn, recorder } = this.#parts;
    if (!isOn || error?.code !== "api_rate_limited") return undefined;
    if (this.#resetsAtMs === undefined) {
      const message =
        "Claude Code did not say when the limit resets, so the session does not go on by itself.";
      recorder.record({ type: "notice", code: "rate_limit", message });
      return undefined;
    }
    const now = this.#now();
    const dueMs = this.#resetsAtMs > now ? this.#resetsAtMs : now + LEAST_MS;
    return new Date(dueMs).toISOString();
  }

  /** Waits for what is planned. Called when something was planned, and at the start. */
  wait(): void {
    this.#cancelTimer();
    const { continuation, acceptedIds } = this.#parts.recorder.state;
    if (continuation?.sent === true && !acceptedIds.has(continuation.planned.id)) this.#giveUp();
    if (continuation === undefined || continuation.sent) return;
    const leftMs = Date.parse(continuation.planned.due) - this.#now();
    if (leftMs <= 0) return this.#goOn(continuation.planned.id);
    this.#cancelTimer = this.#parts.timers.after(Math.min(leftMs, LOOK_MS), () => this.wait());
  }

  /** Ends what is planned as failed; does nothing when nothing is, or when the message is on its way already. */
  async cancel(by: string | undefined): Promise<void> {
    const { recorder } = this.#parts;
    if (recorder.state.continuation?.sent !== false) return;
    this.#cancelTimer();
    recorder.record({ type: "continuation_canceled", ...(by !== undefined && { by }) });
    this.#giveUp();
    await recorder.durable();
  }

  close(): void {
    this.#cancelTimer();
  }

  #goOn(id: string): void {
    const { inbox } = this.#parts;
    const message = { type: "message", id, text: TEXT, priority: "next", quiet: false } as const;
    // On a full disk the message waits in the inbox, as any other does.
    inbox.accept(message, SENDER).catch(() => {});
  }

  /** Ends the messages that wait: nobody will go on with them. */
  #giveUp(): void {
    const { recorder, turns } = this.#parts;
    const { planned } = recorder.state.continuation ?? {};
    if (!planned) return;
    const error = toWire(
      errorOf("api_rate_limited", "It was canceled that the session goes on by itself."),
    );
    turns.end({ stopReason: "failed", messages: planned.messages, error });
  }

  #now(): number {
    return this.#parts.wallMs?.() ?? Date.now();
  }
}
