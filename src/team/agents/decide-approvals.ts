import type { Records, Write } from "../../bus/records.ts";
import type { SessionClient, SessionView } from "../../client/index.ts";
import { POLICY } from "../../wire/check-client-name.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import type { JsonObject } from "../../wire/json.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { ElicitAction } from "../../wire/session/elicitation.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamParams } from "../../wire/team/control-methods.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { backgroundClock } from "../../time/clock.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import { timeLeft } from "./time-left-for-request.ts";
import { DecidedRequests } from "./decided-requests.ts";
import { summaryOf } from "./call-in-one-line.ts";
import { OneAtATime } from "./one-at-a-time-by-key.ts";

type ParamsOf<Method extends "approve" | "deny" | "answer"> = Omit<
  TeamParams<Method>,
  "request_id"
>;

/** A decision as a client of the team sent it. */
export type Decision =
  | ({ readonly action: "approve" } & ParamsOf<"approve">)
  | ({ readonly action: "deny" } & ParamsOf<"deny">)
  | ({ readonly action: "answer" } & ParamsOf<"answer">)
  | { readonly action: "respond"; readonly reply: ElicitAction; readonly content?: JsonObject };

/** Who decided: a client by its name. */
export interface Decider {
  readonly by: string;
}

const DECIDERS = "deciders";
/** By request: who asked for more time last. */
const HOLDERS = "holders";
/** A session that refuses a decision with one of these has not accepted it. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  "unknown_request",
  "already_resolved",
  "invalid_params",
]);
const WITHOUT_PERSON =
  "Nobody decided it: its time ran out, or the agent no longer needs an answer. 'switchboard approvals' lists what is pending.";
/** How long a client that asks for more time waits for the event of the request before. */
const HELD_EVENT_MS = 5000;

export interface ApproverOptions {
  readonly agent: AgentId;
  readonly view: SessionView;
  readonly records: Records;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  readonly communication: Pick<CommunicationRecord, "writeOfChange">;
  /** The agent's session, if there is one whose earlier events have been read. */
  readonly session: () => SessionClient | undefined;
}

/** Passes on what people decide, and records who decided. The policy decides in the agent's own session. */
export class Approver {
  readonly #agent: AgentId;
  readonly #view: SessionView;
  readonly #records: Records;
  readonly #tasks: TaskBook;
  readonly #timeline: Timeline;
  readonly #communication: ApproverOptions["communication"];
  readonly #session: () => SessionClient | undefined;
  readonly #decided = new DecidedRequests();
  /**
   * By request. The session knows all people as one client, so a second name must not be written down before the
   * fate of the first decision is known.
   */
  readonly #inOrder = new OneAtATime();
  /** By request: the session that was lost before it said whether it accepts the decision. */
  readonly #lostOn = new Map<string, SessionClient>();
  /** The requests whose outcome has not been published. */
  readonly #asked = new Set<string>();
  /** By request: resolved when the name of who moved its deadline is no longer needed. */
  readonly #heldEvents = new Map<string, PromiseWithResolvers<void>>();

  constructor(options: ApproverOptions) {
    this.#agent = options.agent;
    this.#view = options.view;
    this.#records = options.records;
    this.#tasks = options.tasks;
    this.#timeline = options.timeline;
    this.#communication = options.communication;
    this.#session = options.session;
  }

  get pending(): PendingRequest[] {
    return this.#view.pending;
  }

  /** To be called when a request for a person may have come or gone. */
  look(): void {
    for (const { request_id } of this.pending) this.#asked.add(request_id);
    this.#keepTasks();
  }

  /**
   * @throws `agent_unavailable` while there is no session; `already_resolved` when another decision was first;
   * `unknown_request` and `invalid_params` of the session.
   */
  decide(requestId: string, decision: Decision, decider: Decider): Promise<void> {
    return this.#inOrder.run(requestId, () => this.#decide(requestId, decision, decider));
  }

  async #decide(requestId: string, decision: Decision, { by }: Decider): Promise<void> {
    this.refuseLate(requestId);
    const session = this.#openSession(requestId);
    const former = (await this.#records.get(DECIDERS, requestId))?.value;
    // Recorded first: the session knows all people as one client, and may report the decision only to the next
    // process of the team.
    await this.#records.write([noteOf(DECIDERS, requestId, { by })]);
    try {
      await passOn(session, requestId, decision);
    } catch (error) {
      if (!isRefusal(error)) this.#keepIfLost(requestId, session, error);
      else await this.#refused(requestId, error, former);
      throw error;
    }
    const decided = { outcome: outcomeOf(decision), by };
    this.#decided.accept(requestId, decided, this.#isPending(requestId));
  }

  /** @throws `already_resolved` when an earlier decision of a person was accepted. */
  async #refused(
    requestId: string,
    { code, data = {} }: ClaudeCodeError,
    former: JsonObject | undefined,
  ): Promise<void> {
    await this.#records.write([formerNote(requestId, former)]);
    const { by } = former ?? {};
    const { outcome } = data;
    const isOurs = code === "already_resolved" && data["by"] === SWITCHBOARD;
    if (isOurs && typeof by === "string" && typeof outcome === "string") {
      this.#decided.accept(requestId, { outcome, by }, this.#isPending(requestId));
    }
    this.refuseLate(requestId);
  }

  /** A decision whose answer was lost may have arrived. The next session's events say so. */
  #keepIfLost(requestId: string, session: SessionClient, error: unknown): void {
    const isAlive = error instanceof ClaudeCodeError && error.code === "log_write_failed";
    if (!isAlive) this.#lostOn.set(requestId, session);
  }

  /**
   * Gives people more time. False when the request has no deadline, so that nothing changes.
   *
   * @throws as `decide` does.
   */
  hold(requestId: string, ms: number, holder: Decider): Promise<boolean> {
    return this.#inOrder.run(requestId, () => this.#hold(requestId, ms, holder));
  }

  async #hold(requestId: string, ms: number, holder: Decider): Promise<boolean> {
    this.refuseLate(requestId);
    const session = this.#openSession(requestId);
    const request = this.pending.find(({ request_id }) => request_id === requestId);
    if (request && (request.type === "notice" || request.deadline === undefined)) return false;
    await this.#records.write([noteOf(HOLDERS, requestId, holder)]);
    const heldEvent = Promise.withResolvers<void>();
    this.#heldEvents.set(requestId, heldEvent);
    try {
      await session.hold(requestId, ms);
      await settlesWithin(
        Promise.race([heldEvent.promise, session.closed]),
        HELD_EVENT_MS,
        backgroundClock,
      );
    } catch (error) {
      if (!isRefusal(error)) this.#keepIfLost(requestId, session, error);
      throw error;
    } finally {
      this.#heldEvents.delete(requestId);
    }
    return true;
  }

  /** Whether the agent has made this request, and its outcome has not been published. */
  hasAsked(requestId: string): boolean {
    return this.#asked.has(requestId) || this.#isPending(requestId);
  }

  /** @throws `already_resolved` for a request that has its outcome. */
  refuseLate(requestId: string): void {
    const decided = this.#decided.of(requestId, this.#isPending(requestId));
    if (!decided) return;
    const who = decided.by === undefined ? "" : ` by ${decided.by}`;
    throw errorOf("already_resolved", `The request was ${decided.outcome}${who} before.`, {
      data: { agent_id: this.#agent, ...decided },
      ...(decided.by === undefined && { hint: WITHOUT_PERSON }),
    });
  }

  #isPending(requestId: string): boolean {
    return this.pending.some(({ request_id }) => request_id === requestId);
  }

  /** The session has moved the deadline of a request: publishes the new one. @param isUnpublished as in `resolved`. */
  async held(event: SessionEventOf<"request_held">, isUnpublished: boolean): Promise<void> {
    const { request_id, deadline, remaining_ms, seq } = event;
    const known = await this.#records.get(HOLDERS, request_id);
    this.#heldEvents.get(request_id)?.resolve();
    if (!isUnpublished) return;
    this.#timeline.append({
      type: "approval_held",
      agent: this.#agent,
      session_seq: seq,
      request_id,
      deadline,
      remaining_ms: timeLeft(deadline, remaining_ms),
      ...deciderOf(event, known?.value),
    });
  }

  /** @param isUnpublished whether no earlier process of the team has published it. */
  async resolved(
    event: SessionEventOf<"approval_resolved">,
    isUnpublished: boolean,
  ): Promise<void> {
    const { request_id, outcome, scope, reason, mode, plan, seq } = event;
    this.#keepTasks();
    const known = await this.#records.get(DECIDERS, request_id);
    const decider = deciderOf(event, known?.value);
    this.#decided.tell(request_id, { outcome, ...decider });
    this.#asked.delete(request_id);
    this.#lostOn.delete(request_id);
    if (!isUnpublished) return;
    const change = this.#changeOf(event);
    this.#timeline.append(
      {
        type: "approval_resolved",
        agent: this.#agent,
        session_seq: seq,
        request_id,
        outcome,
        ...decider,
        ...change,
        ...(scope !== undefined && { scope }),
        ...(reason !== undefined && { reason }),
        ...(mode !== undefined && { mode }),
        ...(plan !== undefined && { plan }),
      },
      change ? [this.#communication.writeOfChange(this.#agent, { ...decider, ...change })] : [],
    );
    if (known) await this.#forget(request_id);
  }

  /** @throws `agent_unavailable` while there is no session, or only one that was lost with a decision on the request. */
  #openSession(requestId: string): SessionClient {
    const session = this.#session();
    if (session && session !== this.#lostOn.get(requestId)) return session;
    throw errorOf("agent_unavailable", `${this.#agent} is being restarted.`, {
      data: { agent_id: this.#agent },
      hint: "Decide again in a moment: the agent will ask again.",
    });
  }

  /** What ran, if a person changed the call before they allowed it. */
  #changeOf({ request_id, updated_input }: SessionEventOf<"approval_resolved">) {
    const call = this.#view.openCalls.get(request_id);
    if (!updated_input || !call) return undefined;
    return {
      updated_input,
      changed: {
        tool: call.tool,
        asked: summaryOf(call.input),
        ran: summaryOf(updated_input),
      },
    };
  }

  async #forget(requestId: string): Promise<void> {
    await this.#records.write([
      { kind: "remove", collection: DECIDERS, key: requestId },
      { kind: "remove", collection: HOLDERS, key: requestId },
    ]);
  }

  /** While a person has to decide, the agent's tasks wait for input, and their clocks stand still. */
  #keepTasks(): void {
    const waits = this.pending.length > 0;
    for (const { id, state } of this.#tasks.openOf(this.#agent)) {
      if (waits && state === "working") this.#tasks.step(id, "input_needed");
      if (!waits && state === "input_required" && this.#tasks.openBelow(id).length === 0) {
        this.#tasks.step(id, "input_given");
      }
    }
  }
}

const noteOf = (collection: string, key: string, { by }: Decider): Write => ({
  kind: "put",
  collection,
  key,
  value: { by },
});

const isRefusal = (error: unknown): error is ClaudeCodeError =>
  error instanceof ClaudeCodeError && refusals.has(error.code);

/** Restores the note that was there before a decision that the session refused. */
const formerNote = (key: string, value: JsonObject | undefined): Write =>
  value
    ? { kind: "put", collection: DECIDERS, key, value }
    : { kind: "remove", collection: DECIDERS, key };

/** What the session makes of a decision that it accepts. */
function outcomeOf(decision: Decision): "allowed" | "denied" {
  if (decision.action === "respond") return decision.reply === "accept" ? "allowed" : "denied";
  return decision.action === "deny" ? "denied" : "allowed";
}

function passOn(session: SessionClient, requestId: string, decision: Decision): Promise<void> {
  if (decision.action === "answer") return session.answer(requestId, decision.answers);
  if (decision.action === "respond") {
    return session.respond(requestId, decision.reply, decision.content);
  }
  if (decision.action === "deny") {
    const { reason, interrupt } = decision;
    return session.deny(requestId, { interrupt, ...(reason !== undefined && { reason }) });
  }
  const { scope, updated_input: updatedInput, mode, plan } = decision;
  return session.approve(requestId, {
    scope,
    ...(updatedInput !== undefined && { updatedInput }),
    ...(mode !== undefined && { mode }),
    ...(plan !== undefined && { plan }),
  });
}

/**
 * Only the session can say that a rule decided, so no client can pass for the policy. Only the team knows which of its
 * clients decided.
 */
function deciderOf(
  { by, rule }: { readonly by?: string | undefined; readonly rule?: string | undefined },
  known: JsonObject | undefined,
): { by?: string; rule?: string } {
  if (rule !== undefined) return { by: POLICY, rule };
  if (by === SWITCHBOARD && typeof known?.["by"] === "string") return { by: known["by"] };
  return by === undefined ? {} : { by };
}
