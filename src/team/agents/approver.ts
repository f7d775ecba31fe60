import type { Records } from "../../bus/records.ts";
import type { SessionClient } from "../../client/index.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { pendingOf } from "../../session/state/pending.ts";
import type { PendingRequest } from "../../wire/session-events-approval.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { AgentSpec } from "../file/team.ts";
import { SWITCHBOARD } from "../messages/user.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import { judgeCall } from "../rules/policy.ts";
import type { Desk } from "./desk.ts";

export type Decision =
  | { readonly action: "approve"; readonly scope?: "once" | "session" | "always" }
  | { readonly action: "deny"; readonly reason?: string }
  | { readonly action: "answer"; readonly answers: Record<string, string | string[]> };

/** Who decided: a client by its name, or the policy, with the rule that did it. */
export interface Decider {
  readonly by: string;
  readonly rule?: string;
}

const DECIDERS = "deciders";
const refusals: ReadonlySet<ErrorCode> = new Set(["unknown_request", "already_resolved"]);

/** Decides what the team file decides, passes on what people decide, and keeps who it was. */
export class Approver {
  readonly #office: Office;
  readonly #spec: AgentSpec;
  readonly #desk: Desk;
  readonly #session: () => SessionClient | undefined;
  readonly #judged = new Set<string>();

  constructor(
    office: Office,
    spec: AgentSpec,
    desk: Desk,
    session: () => SessionClient | undefined,
  ) {
    this.#office = office;
    this.#spec = spec;
    this.#desk = desk;
    this.#session = session;
  }

  get pending(): PendingRequest[] {
    return pendingOf(this.#desk.state);
  }

  /** Judges what the policy has not been asked about yet. A person is asked for the rest. */
  look(): void {
    for (const request of this.pending) {
      if (this.#judged.has(request.request_id)) continue;
      this.#judged.add(request.request_id);
      void this.#judge(request);
    }
    this.#keepTasks();
  }

  /** @throws `unknown_request`, `already_resolved`, `agent_unavailable`-like errors of the session. */
  async decide(requestId: string, decision: Decision, decider: Decider): Promise<void> {
    const session = this.#session();
    if (!session) {
      throw errorOf("agent_unavailable", `${this.#spec.id} is being restarted.`, {
        data: { agent_id: this.#spec.id },
        hint: "Decide again in a moment: it will ask again.",
      });
    }
    // Written down first: the session knows this process alone, and may tell its successor.
    await this.#records.write([
      { kind: "put", collection: DECIDERS, key: requestId, value: { ...decider } },
    ]);
    try {
      if (decision.action === "approve") {
        await session.approve(requestId, decision.scope ? { scope: decision.scope } : {});
      } else if (decision.action === "deny") {
        await session.deny(requestId, decision.reason ? { reason: decision.reason } : {});
      } else {
        await session.answer(requestId, decision.answers);
      }
    } catch (error) {
      // What was lost on the way may have arrived all the same; only a refusal is certain.
      if (error instanceof ClaudeCodeError && refusals.has(error.code))
        await this.#forget(requestId);
      throw error;
    }
  }

  /** @param isNews people have not been told of it, by a process before this one. */
  async resolved(event: SessionEventOf<"approval_resolved">, isNews: boolean): Promise<void> {
    const { request_id, outcome, by, seq } = event;
    this.#judged.delete(request_id);
    this.#keepTasks();
    if (!isNews) return;
    const known = await this.#records.get(DECIDERS, request_id);
    const isOurs = by === SWITCHBOARD && known !== undefined;
    const decider = (isOurs ? known.value : by === undefined ? {} : { by }) as Partial<Decider>;
    this.#office.timeline.append({
      type: "approval_resolved",
      agent: this.#spec.id,
      session_seq: seq,
      request_id,
      outcome,
      ...decider,
    });
    if (known) await this.#forget(request_id);
  }

  get #records(): Records {
    return this.#office.bus.records;
  }

  async #forget(requestId: string): Promise<void> {
    await this.#records.write([{ kind: "remove", collection: DECIDERS, key: requestId }]);
  }

  async #judge(request: PendingRequest): Promise<void> {
    if (request.type !== "approval_request") return;
    const { action, rule, reason } = judgeCall(this.#office.team.policy, this.#spec.id, request);
    if (action === "ask") return;
    const decision: Decision =
      action === "allow"
        ? { action: "approve" }
        : { action: "deny", ...(reason !== undefined && { reason }) };
    try {
      const decider = { by: "policy", ...(rule !== undefined && { rule }) };
      await this.decide(request.request_id, decision, decider);
    } catch (error) {
      // Its process may have ended in this moment: the next one asks again, under the same id.
      this.#judged.delete(request.request_id);
      tellTrouble(this.#office, `The policy's answer to ${this.#spec.id} did not arrive`, error);
    }
  }

  /** While a person has to decide, the agent's tasks wait for input, and their clocks stand still. */
  #keepTasks(): void {
    const { tasks } = this.#office;
    const waits = this.pending.length > 0;
    for (const { id, state } of tasks.openOf(this.#spec.id)) {
      if (waits && state === "working") tasks.step(id, "input_needed");
      if (!waits && state === "input_required" && tasks.openBelow(id).length === 0) {
        tasks.step(id, "input_given");
      }
    }
  }
}
