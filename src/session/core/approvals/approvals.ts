import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ElicitationAnswer, ElicitationRequest } from "../../../engine/index.ts";
import type { PermissionDecision, PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { PolicyRule } from "../../../wire/policy-rule.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { ApprovalOutcome } from "../../../wire/session/approval-events.ts";
import type { PermissionMode } from "../../../wire/session/shared-schemas.ts";
import { proposedChanges } from "../../changes/proposed-changes.ts";
import { decisionBy, verdictOn } from "../../policy/apply-policy.ts";
import type {
  RecordedDecision,
  RequestAnswer,
  ResolvedFields,
} from "./decision-for-cli-and-log.ts";
import { decisionOf, unansweredCall } from "./decision-for-cli-and-log.ts";
import type { RecordedResponse } from "./elicitations.ts";
import { callBehind, elicitationDraft, isTooLong } from "./elicitations.ts";
import { loadFormCheck, responseOf, unanswered } from "./elicitations.ts";
import type { Recorder } from "../event-recorder.ts";
import type { Asked } from "./request-draft.ts";
import { requestDraft } from "./request-draft.ts";
import { settingsFileOf } from "./settings-rules.ts";
import type { SessionOptions } from "../session-types.ts";
import type { Timers } from "../../../time/clock.ts";
import type { Turns } from "../open-and-end-turns.ts";
import { whenDurable } from "../when-durable.ts";

const DEFAULT_TIMEOUT_MS = 300_000;
/** A question is withdrawn when its turn was stopped or when the CLI died. Within this time we learn which. */
const WITHDRAWN_MS = 1_000;

/** What is recorded of an answer, and how the CLI learns of it. */
interface Settlement {
  readonly resolution: ResolvedFields;
  readonly tell: () => void;
  /** The denial ends the turn as well. */
  readonly endsTurn?: boolean;
}

/** Something that the CLI waits for. */
interface Waiter {
  readonly request_id: string;
  readonly signal: AbortSignal;
  /** @throws `invalid_params` when the answer does not fit. */
  readonly read: (answer: RequestAnswer) => Settlement;
  /** What becomes of it when nobody answers. */
  readonly expire: () => Settlement;
  /** The request ends without an answer. */
  readonly letGo?: () => void;
  /** Cancels the denial at the deadline. */
  cancelDeadline: () => void;
  cancelTimers: (() => void)[];
}

/** A call, or a server's question, that a crash cancelled; it may be repeated under another id. */
interface Superseded {
  request_id: string;
  about: JsonObject;
  /** A person may have moved it. */
  deadline: string | undefined;
}

export interface ApprovalsOptions extends Partial<
  Pick<SessionOptions, "approvalTimeoutMs" | "policy" | "cwd" | "env">
> {
  /** The modes that the CLI can be put into, once one has started. */
  readonly modes?: () => readonly PermissionMode[] | undefined;
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
  /** Where Claude Code looks for settings. */
  readonly #place: { cwd: string; env: Record<string, string> } | undefined;
  readonly #modes: () => readonly PermissionMode[] | undefined;
  readonly #waiters = new Map<string, Waiter>();
  #superseded: Superseded[] = [];
  /** Resolved whenever a waiter comes or goes. Answers that arrive while no CLI runs wait for it. */
  #changed = Promise.withResolvers<void>();

  constructor(recorder: Recorder, turns: Turns, timers: Timers, options: ApprovalsOptions = {}) {
    this.#recorder = recorder;
    this.#turns = turns;
    this.#timers = timers;
    this.#timeoutMs = options.approvalTimeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#policy = options.policy ?? [];
    this.#modes = options.modes ?? (() => undefined);
    const { cwd, env = {} } = options;
    this.#place = cwd === undefined ? undefined : { cwd, env };
  }

  /** The CLI asks. The waiter is registered before any client sees the request. */
  ask(asked: PermissionRequest): Promise<PermissionDecision> {
    const verdict = verdictOn(this.#policy, asked);
    // The rule asks every time, so a grant for the session would have no effect: none is offered.
    const request = verdict?.action === "ask" ? { ...asked, suggestions: [] } : asked;
    const { request_id, tool, input, signal, agent, parent } = request;
    const { promise, resolve } = Promise.withResolvers<PermissionDecision>();
    const settle = ({ decision, resolution }: RecordedDecision): Settlement => ({
      resolution,
      tell: () => resolve(decision),
      endsTurn: !decision.allow && decision.interrupt === true,
    });
    const waiter = this.#await({
      request_id,
      signal,
      read: (answer) => settle(this.#withFile(decisionOf(answer, request, this.#modes()))),
      expire: () => settle(unansweredCall()),
    });
    const call = this.#recorder.state.calls.get(request_id);
    const known = parent ?? call?.parent;
    const fields = this.#askedOf(request_id, known, { tool, input });
    const changes = proposedChanges(request, this.#place?.cwd ?? "/");
    // A question of a background sub-agent belongs to no turn.
    if (agent === undefined && known === undefined) this.#turns.ensure();
    this.#recorder.record(requestDraft(request, fields, { verdict, changes, call: call?.input }));
    const decision = verdict && decisionBy(verdict);
    this.#begin(waiter, fields, { isDecided: decision !== undefined });
    // If the disk refuses the decision now, the write is retried until it succeeds.
    if (decision) void this.#resolve(waiter, settle(decision)).catch(() => this.#recorder.settle());
    return promise;
  }

  /** An MCP server asks, in the middle of one of its calls or on its own. */
  async elicit(request: ElicitationRequest): Promise<ElicitationAnswer> {
    const { signal, server, message, schema = {} } = request;
    const checkForm = await loadFormCheck(request.schema);
    if (signal.aborted || isTooLong(request)) return { action: "cancel" };
    const { promise, resolve } = Promise.withResolvers<ElicitationAnswer>();
    const settle = ({ response, resolution }: RecordedResponse): Settlement => ({
      resolution,
      tell: () => resolve(response),
    });
    const request_id = `elicit_${randomUUID()}`;
    const waiter = this.#await({
      request_id,
      signal,
      read: (answer) => settle(responseOf(answer, request, checkForm)),
      expire: () => settle(unanswered()),
      letGo: () => resolve({ action: "cancel" }),
    });
    const call = callBehind(request, this.#recorder.state);
    const fields = this.#askedOf(request_id, call?.parent, { server, message, schema });
    if (call && call.parent === undefined) this.#turns.ensure();
    this.#recorder.record(elicitationDraft(request, fields, call?.request_id));
    this.#begin(waiter, fields);
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
    await this.#resolve(waiter, waiter.read(answer), by);
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

  /** Says where a lasting permission is written to. */
  #withFile({ decision, resolution }: RecordedDecision): RecordedDecision {
    const file = this.#place && settingsFileOf(resolution.granted ?? [], this.#place);
    return { decision, resolution: { ...resolution, ...(file !== undefined && { file }) } };
  }

  #await(asking: Omit<Waiter, "cancelDeadline" | "cancelTimers">): Waiter {
    const waiter: Waiter = { ...asking, cancelDeadline: () => {}, cancelTimers: [] };
    this.#waiters.set(asking.request_id, waiter);
    return waiter;
  }

  /** The request is recorded: its time runs, and answers may come. */
  #begin(waiter: Waiter, { remaining_ms }: Asked, { isDecided = false } = {}): void {
    const { request_id, signal } = waiter;
    if (!isDecided) this.#recorder.settle();
    if (remaining_ms !== undefined) this.#denyAfter(remaining_ms, waiter);
    signal.addEventListener("abort", () => this.#withdraw(request_id, waiter), { once: true });
    this.#wake();
  }

  #denyAfter(ms: number, waiter: Waiter): void {
    waiter.cancelDeadline();
    const { request_id } = waiter;
    const denyLate = () => void this.#timeOut(request_id).catch(() => {});
    waiter.cancelDeadline = this.#timers.after(ms, denyLate);
  }

  /** The turn is over: its requests need no answer. Background agents go on asking. */
  endWithdrawn(): void {
    this.#superseded = [];
    for (const id of this.#recorder.state.pending.keys()) {
      if (this.#waiters.get(id)?.signal.aborted !== false) this.#abort(id);
    }
  }

  /** The call has its result. If no CLI waits for an answer, none will ask about the call again. */
  callEnded(requestId: string): void {
    if (!this.#waiters.has(requestId)) this.#abort(requestId);
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
    for (const [request_id, { parent, deadline }] of this.#recorder.state.pending) {
      if (request_id === parked) continue;
      const about = this.#aboutOf(request_id);
      if (about) this.#superseded.push({ request_id, about, deadline });
      this.#tellOutcome(request_id, "superseded", parent);
    }
    this.#recorder.settle();
    this.#wake();
  }

  #aboutOf(requestId: string): JsonObject | undefined {
    const { pending, calls } = this.#recorder.state;
    const request = pending.get(requestId);
    if (request?.type === "elicitation") {
      const { server, message, schema = {} } = request;
      return { server, message, schema };
    }
    const call = calls.get(requestId);
    return call && { tool: call.tool, input: call.input };
  }

  #askedOf(request_id: string, parent: string | undefined, about: JsonObject): Asked {
    const again = this.#recorder.state.pending.has(request_id);
    const isSame = (old: Superseded) => isDeepStrictEqual(old.about, about);
    const replaced = again ? undefined : this.#superseded.find(isSame);
    if (replaced) this.#superseded = this.#superseded.filter((old) => old !== replaced);
    const before = replaced ?? this.#recorder.state.pending.get(request_id);
    return {
      request_id,
      ...(parent !== undefined && { parent }),
      ...(this.#timeoutMs > 0 && deadlineIn(this.#timeFor(before))),
      ...(again && { again }),
      ...(replaced && { replaces: replaced.request_id }),
    };
  }

  /** A request that is asked again after a crash keeps a deadline that a person has moved. */
  #timeFor({ deadline }: { deadline?: string | undefined } = {}): number {
    const leftMs = deadline === undefined ? 0 : Date.parse(deadline) - Date.now();
    return Math.max(this.#timeoutMs, leftMs);
  }

  /** Undefined while we do not know yet whether the CLI still wants an answer. */
  #waiterOf(requestId: string): Waiter | undefined {
    const waiter = this.#waiters.get(requestId);
    if (waiter?.signal.aborted === false) return waiter;
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
    await this.#resolve(waiter, waiter.expire());
  }

  /** The first answer takes the request away at once; the CLI gets the decision when it is safe on disk. */
  async #resolve(
    waiter: Waiter,
    { resolution, tell, endsTurn = false }: Settlement,
    by?: string,
  ): Promise<void> {
    const { request_id } = waiter;
    const parent = this.#recorder.state.pending.get(request_id)?.parent;
    this.#recorder.record({
      type: "approval_resolved",
      request_id,
      ...(parent !== undefined && { parent }),
      ...(by !== undefined && { by }),
      ...resolution,
    });
    this.#forget(request_id);
    if (endsTurn) this.#turns.endsAs("denied");
    this.#recorder.settle();
    await whenDurable(this.#recorder, this.#timers, tell);
  }

  /** The CLI withdraws the question. If the CLI has died, the question stays, and the next CLI may ask it again. */
  #withdraw(requestId: string, waiter: Waiter): void {
    const stillOurs = () => this.#waiters.get(requestId) === waiter;
    const end = () => stillOurs() && this.#abort(requestId);
    waiter.cancelTimers.push(this.#timers.after(WITHDRAWN_MS, end));
  }

  #abort(requestId: string): void {
    const request = this.#recorder.state.pending.get(requestId);
    this.#waiters.get(requestId)?.letGo?.();
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
