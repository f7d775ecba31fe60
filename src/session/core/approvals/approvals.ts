import { isDeepStrictEqual } from "node:util";
import type { PermissionDecision, PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { PolicyRule } from "../../../wire/policy-rule.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { ApprovalOutcome } from "../../../wire/session/approval-events.ts";
import { decisionBy, verdictOn } from "../../policy/apply-policy.ts";
import type { RequestAnswer, RecordedDecision } from "./decisions.ts";
import { decisionOf } from "./decisions.ts";
import type { Recorder } from "../recorder.ts";
import type { Asked } from "./requests.ts";
import { requestDraft } from "./requests.ts";
import type { SessionOptions } from "../session-types.ts";
import type { Timers } from "../../../time/clock.ts";
import type { Turns } from "../turns.ts";
import { whenDurable } from "../when-durable.ts";

const DEFAULT_TIMEOUT_MS = 300_000;
/** A question is withdrawn when its turn was stopped or when the CLI died. Within this time we learn which. */
const WITHDRAWN_MS = 1_000;

interface Waiter {
  request: PermissionRequest;
  resolve: (decision: PermissionDecision) => void;
  /** Cancels the denial at the deadline. */
  cancelDeadline: () => void;
  cancelTimers: (() => void)[];
}

/** A call that a crash cancelled; the model may repeat it under another id. */
interface Superseded {
  request_id: string;
  tool: string;
  input: JsonObject;
}

/**
 * Requests to people. The log knows what is pending; this class knows which requests a living CLI waits for. A
 * request may be pending without a waiter: between the death of a CLI and the question of the next one.
 */
export class Approvals {
  readonly #recorder: Recorder;
  readonly #turns: Turns;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  readonly #policy: readonly PolicyRule[];
  readonly #waiters = new Map<string, Waiter>();
  #superseded: Superseded[] = [];
  /** Resolved whenever a waiter comes or goes. Answers that arrive while no CLI runs wait for it. */
  #changed = Promise.withResolvers<void>();

  constructor(
    recorder: Recorder,
    turns: Turns,
    timers: Timers,
    options: Pick<SessionOptions, "approvalTimeoutMs" | "policy"> = {},
  ) {
    this.#recorder = recorder;
    this.#turns = turns;
    this.#timers = timers;
    this.#timeoutMs = options.approvalTimeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#policy = options.policy ?? [];
  }

  /** The CLI asks. The waiter is registered before any client sees the request. */
  ask(asked: PermissionRequest): Promise<PermissionDecision> {
    const verdict = verdictOn(this.#policy, asked);
    // The rule asks every time, so a grant for the session would have no effect: none is offered.
    const request = verdict?.action === "ask" ? { ...asked, suggestions: [] } : asked;
    const { request_id } = request;
    const { promise, resolve } = Promise.withResolvers<PermissionDecision>();
    const waiter: Waiter = { request, resolve, cancelDeadline: () => {}, cancelTimers: [] };
    this.#waiters.set(request_id, waiter);
    const again = this.#recorder.state.pending.has(request_id);
    const fields = this.#askedOf(request, again);
    // A question of a background sub-agent belongs to no turn.
    if (request.agent === undefined && fields.parent === undefined) this.#turns.ensure();
    this.#recorder.record(requestDraft(request, fields, verdict));
    const decision = verdict && decisionBy(verdict);
    if (!decision) this.#recorder.settle();
    if (fields.remaining_ms !== undefined) this.#denyAfter(fields.remaining_ms, waiter);
    request.signal.addEventListener("abort", () => this.#withdraw(request_id, waiter), {
      once: true,
    });
    this.#wake();
    // If the disk refuses the decision now, the write is retried until it succeeds.
    if (decision) void this.#resolve(waiter, decision).catch(() => this.#recorder.settle());
    return promise;
  }

  /**
   * @throws `unknown_request`, `already_resolved`, `invalid_params`, `log_write_failed`, or what the log refuses an
   * event with, such as `message_too_large`. The request then stays open.
   */
  async answer(answer: RequestAnswer, by: string | undefined): Promise<void> {
    // Nothing may run between finding the waiter and taking it: the first answer wins.
    let waiter = this.#waiterOf(answer.request_id);
    for (; !waiter; waiter = this.#waiterOf(answer.request_id)) await this.#changed.promise;
    await this.#resolve(waiter, decisionOf(answer, waiter.request), by);
  }

  /**
   * Moves the deadline of a pending request. A request that waits for ever goes on doing so.
   *
   * @throws as `answer` does.
   */
  async hold(requestId: string, ms: number, by: string | undefined): Promise<void> {
    let waiter = this.#waiterOf(requestId);
    for (; !waiter; waiter = this.#waiterOf(requestId)) await this.#changed.promise;
    const pending = this.#recorder.state.pending.get(requestId);
    if (pending?.deadline === undefined) return;
    const { parent } = pending;
    this.#recorder.record({
      type: "request_held",
      request_id: requestId,
      ...(parent !== undefined && { parent }),
      ...deadlineIn(ms),
      ...(by !== undefined && { by }),
    });
    this.#denyAfter(ms, waiter);
    await this.#recorder.durable();
  }

  #denyAfter(ms: number, waiter: Waiter): void {
    waiter.cancelDeadline();
    const { request_id } = waiter.request;
    const denyLate = () => void this.#timeOut(request_id).catch(() => {});
    waiter.cancelDeadline = this.#timers.after(ms, denyLate);
  }

  /** The turn is over: its requests need no answer. Background agents go on asking. */
  endWithdrawn(): void {
    this.#superseded = [];
    for (const [id, { request }] of this.#waiters) if (request.signal.aborted) this.#abort(id);
  }

  /** Ends all requests as aborted. */
  abortAll(): void {
    for (const id of this.#recorder.state.pending.keys()) this.#abort(id);
  }

  /** The CLI is gone. Its requests stay pending until recovery decides what becomes of them. */
  cliGone(): void {
    for (const waiter of this.#waiters.values()) cancelTimersOf(waiter);
    this.#waiters.clear();
  }

  /** Supersedes all requests but the parked one, which the next CLI asks again under the same id. */
  supersedeAllBut(parked: string | undefined): void {
    for (const [request_id, { parent }] of this.#recorder.state.pending) {
      if (request_id === parked) continue;
      const call = this.#recorder.state.calls.get(request_id);
      if (call) this.#superseded.push({ request_id, tool: call.tool, input: call.input });
      this.#tellOutcome(request_id, "superseded", parent);
    }
    this.#recorder.settle();
    this.#wake();
  }

  #askedOf(request: PermissionRequest, again: boolean): Asked {
    const { request_id, tool, input } = request;
    const parent = request.parent ?? this.#recorder.state.calls.get(request_id)?.parent;
    const isSame = (old: Superseded) => old.tool === tool && isDeepStrictEqual(old.input, input);
    const replaced = again ? undefined : this.#superseded.find(isSame);
    if (replaced) this.#superseded = this.#superseded.filter((old) => old !== replaced);
    return {
      request_id,
      ...(parent !== undefined && { parent }),
      ...(this.#timeoutMs > 0 && deadlineIn(this.#timeFor(request_id))),
      ...(again && { again }),
      ...(replaced && { replaces: replaced.request_id }),
    };
  }

  /** A request that is asked again after a crash keeps a deadline that a person has moved. */
  #timeFor(requestId: string): number {
    const { deadline } = this.#recorder.state.pending.get(requestId) ?? {};
    const leftMs = deadline === undefined ? 0 : Date.parse(deadline) - Date.now();
    return Math.max(this.#timeoutMs, leftMs);
  }

  /** Undefined while we do not know yet whether the CLI still wants an answer. */
  #waiterOf(requestId: string): Waiter | undefined {
    const waiter = this.#waiters.get(requestId);
    if (waiter?.request.signal.aborted === false) return waiter;
    if (!this.#recorder.state.pending.has(requestId)) throw this.#whyNot(requestId);
    return undefined;
  }

  #whyNot(requestId: string): Error {
    const resolved = this.#recorder.state.resolved.get(requestId);
    if (!resolved) return errorOf("unknown_request", `No request ${requestId} is pending.`);
    const { outcome, by } = resolved;
    const who = by === undefined ? "" : ` by ${by}`;
    return errorOf("already_resolved", `The request was ${outcome}${who} before.`, {
      data: { outcome, ...(by !== undefined && { by }) },
      ...(outcome === "superseded" && { hint: "Answer the request that replaces it." }),
    });
  }

  async #timeOut(requestId: string): Promise<void> {
    const waiter = this.#waiters.get(requestId);
    if (!waiter) return;
    const message = "No person answered before the deadline, so the call was denied.";
    await this.#resolve(waiter, {
      decision: { allow: false, message },
      resolution: { outcome: "timed_out", reason: message },
    });
  }

  /** The first answer takes the request away at once; the CLI gets the decision when it is safe on disk. */
  async #resolve(
    waiter: Waiter,
    { decision, resolution }: RecordedDecision,
    by?: string,
  ): Promise<void> {
    const { request_id } = waiter.request;
    const parent = this.#recorder.state.pending.get(request_id)?.parent;
    this.#recorder.record({
      type: "approval_resolved",
      request_id,
      ...(parent !== undefined && { parent }),
      ...(by !== undefined && { by }),
      ...resolution,
    });
    this.#forget(request_id);
    if (!decision.allow && decision.interrupt === true) this.#turns.endsAs("denied");
    this.#recorder.settle();
    await whenDurable(this.#recorder, this.#timers, () => waiter.resolve(decision));
  }

  /** The CLI withdraws the question. If the CLI has died, the question stays, and the next CLI may ask it again. */
  #withdraw(requestId: string, waiter: Waiter): void {
    const stillOurs = () => this.#waiters.get(requestId) === waiter;
    const end = () => stillOurs() && this.#abort(requestId);
    waiter.cancelTimers.push(this.#timers.after(WITHDRAWN_MS, end));
  }

  #abort(requestId: string): void {
    const request = this.#recorder.state.pending.get(requestId);
    this.#forget(requestId);
    if (!request) return;
    this.#tellOutcome(requestId, "aborted", request.parent);
    this.#recorder.settle();
    this.#wake();
  }

  #tellOutcome(request_id: string, outcome: ApprovalOutcome, parent: string | undefined): void {
    this.#recorder.record({
      type: "approval_resolved",
      request_id,
      outcome,
      ...(parent !== undefined && { parent }),
    });
  }

  #forget(requestId: string): void {
    const waiter = this.#waiters.get(requestId);
    if (waiter) cancelTimersOf(waiter);
    this.#waiters.delete(requestId);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const deadlineIn = (ms: number): { deadline: string; remaining_ms: number } => ({
  deadline: new Date(Date.now() + ms).toISOString(),
  remaining_ms: ms,
});

function cancelTimersOf({ cancelDeadline, cancelTimers }: Waiter): void {
  cancelDeadline();
  for (const cancel of cancelTimers) cancel();
}
