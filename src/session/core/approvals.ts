import { isDeepStrictEqual } from "node:util";
import type { PermissionDecision, PermissionRequest } from "../../engine/permission.ts";
import type { JsonObject } from "../../wire/json.ts";
import { errorOf } from "../../wire/errors.ts";
import type { ApprovalOutcome } from "../../wire/session-events-approval.ts";
import type { Answer, Decision } from "./decisions.ts";
import { decisionOf } from "./decisions.ts";
import type { Recorder } from "./recorder.ts";
import type { Asked } from "./requests.ts";
import { requestDraft } from "./requests.ts";
import type { Timers } from "./timers.ts";
import type { Turns } from "./turns.ts";
import { untilDurable } from "./until-durable.ts";

const DEFAULT_TIMEOUT_MS = 300_000;
/** A question is withdrawn because its turn was stopped, or because the CLI has died: soon we know which. */
const WITHDRAWN_MS = 1_000;

interface Waiter {
  request: PermissionRequest;
  resolve: (decision: PermissionDecision) => void;
  cancelTimers: (() => void)[];
}

/** A call that a crash took back; the model may make it again under another id. */
interface Superseded {
  request_id: string;
  tool: string;
  input: JsonObject;
}

/**
 * Requests to people. What is pending stands in the log; here are those that a living CLI waits for. A
 * request may be pending without a waiter, between the death of a CLI and the next one's question.
 */
export class Approvals {
  readonly #recorder: Recorder;
  readonly #turns: Turns;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  readonly #waiters = new Map<string, Waiter>();
  #superseded: Superseded[] = [];
  /** Answers wait for it that came while no CLI was there to take them. */
  #changed = Promise.withResolvers<void>();

  constructor(recorder: Recorder, turns: Turns, timers: Timers, timeoutMs = DEFAULT_TIMEOUT_MS) {
    this.#recorder = recorder;
    this.#turns = turns;
    this.#timers = timers;
    this.#timeoutMs = timeoutMs;
  }

  /** The CLI asks. The waiter is there before anybody hears of the request. */
  ask(request: PermissionRequest): Promise<PermissionDecision> {
    const { request_id } = request;
    const { promise, resolve } = Promise.withResolvers<PermissionDecision>();
    const waiter: Waiter = { request, resolve, cancelTimers: [] };
    this.#waiters.set(request_id, waiter);
    const again = this.#recorder.state.pending.has(request_id);
    const asked = this.#askedOf(request, again);
    // What a sub-agent of the background asks belongs to no turn of its own.
    if (request.agent === undefined && asked.parent === undefined) this.#turns.ensure();
    this.#recorder.tell(requestDraft(request, asked));
    this.#recorder.settle();
    if (this.#timeoutMs > 0) {
      const denyLate = () => void this.#timeOut(request_id).catch(() => {});
      waiter.cancelTimers.push(this.#timers.after(this.#timeoutMs, denyLate));
    }
    request.signal.addEventListener("abort", () => this.#withdraw(request_id, waiter), {
      once: true,
    });
    this.#wake();
    return promise;
  }

  /**
   * @throws `unknown_request`, `already_resolved`, `invalid_params`, `log_write_failed`; and what the log
   * refuses an event with, such as `message_too_large`: then the request is as open as before.
   */
  async answer(answer: Answer, by: string | undefined): Promise<void> {
    // Nothing may come between finding the waiter and taking it: the first answer wins.
    let waiter = this.#waiterOf(answer.request_id);
    for (; !waiter; waiter = this.#waiterOf(answer.request_id)) await this.#changed.promise;
    await this.#resolve(waiter, decisionOf(answer, waiter.request), by);
  }

  /** The turn is over: what was asked in it needs no answer. Background agents go on asking. */
  endWithdrawn(): void {
    this.#superseded = [];
    for (const [id, { request }] of this.#waiters) if (request.signal.aborted) this.#abort(id);
  }

  /** Nobody is to answer any more. */
  abortAll(): void {
    for (const id of this.#recorder.state.pending.keys()) this.#abort(id);
  }

  /** The CLI is gone. Its requests stay pending until recovery knows what becomes of them. */
  cliGone(): void {
    for (const { cancelTimers } of this.#waiters.values())
      for (const cancel of cancelTimers) cancel();
    this.#waiters.clear();
  }

  /** All but the one that is asked again under its own id. */
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
    const parent = this.#recorder.state.calls.get(request_id)?.parent;
    const isSame = (old: Superseded) => old.tool === tool && isDeepStrictEqual(old.input, input);
    const replaced = again ? undefined : this.#superseded.find(isSame);
    if (replaced) this.#superseded = this.#superseded.filter((old) => old !== replaced);
    return {
      request_id,
      ...(parent !== undefined && { parent }),
      ...(this.#timeoutMs > 0 && {
        deadline: new Date(Date.now() + this.#timeoutMs).toISOString(),
      }),
      ...(again && { again }),
      ...(replaced && { replaces: replaced.request_id }),
    };
  }

  /** Undefined while it is open whether the CLI still wants an answer. */
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
    const message = `Nobody answered within ${this.#timeoutMs / 1000} s, so the call was not allowed.`;
    await this.#resolve(waiter, {
      decision: { allow: false, message },
      resolution: { outcome: "timed_out", reason: message },
    });
  }

  /** The first answer takes the request away at once; the CLI hears of it when it is safe on disk. */
  async #resolve(waiter: Waiter, { decision, resolution }: Decision, by?: string): Promise<void> {
    const { request_id } = waiter.request;
    const parent = this.#recorder.state.pending.get(request_id)?.parent;
    this.#recorder.tell({
      type: "approval_resolved",
      request_id,
      ...(parent !== undefined && { parent }),
      ...(by !== undefined && { by }),
      ...resolution,
    });
    this.#forget(request_id);
    if (!decision.allow && decision.interrupt === true) this.#turns.endsAs("denied");
    this.#recorder.settle();
    await untilDurable(this.#recorder, this.#timers, () => waiter.resolve(decision));
  }

  /** The CLI takes the question back. If it has died, the question stays, and the next CLI may ask it again. */
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
    this.#recorder.tell({
      type: "approval_resolved",
      request_id,
      outcome,
      ...(parent !== undefined && { parent }),
    });
  }

  #forget(requestId: string): void {
    for (const cancel of this.#waiters.get(requestId)?.cancelTimers ?? []) cancel();
    this.#waiters.delete(requestId);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
