import type { SessionClient } from "../../client/index.ts";
import type { PendingRequest } from "../../wire/session-events-approval.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { AgentSpec } from "../file/team.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import { judgeCall } from "../rules/policy.ts";
import type { Desk } from "./desk.ts";

export type Decision =
  | { readonly action: "approve"; readonly scope?: "once" | "session" | "always" }
  | { readonly action: "deny"; readonly reason?: string }
  | { readonly action: "answer"; readonly answers: Record<string, string | string[]> };

/** Decides what the team file decides, passes on what people decide, and keeps who it was. */
export class Approver {
  readonly #office: Office;
  readonly #spec: AgentSpec;
  readonly #desk: Desk;
  readonly #session: () => SessionClient | undefined;
  readonly #judged = new Set<string>();
  /** Who decided, until the session has told that it is so. */
  readonly #deciders = new Map<string, string>();

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
    return [...this.#desk.state.pending.values()];
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
  async decide(requestId: string, decision: Decision, by: string): Promise<void> {
    const session = this.#session();
    if (!session) return;
    this.#deciders.set(requestId, by);
    try {
      if (decision.action === "approve") {
        await session.approve(requestId, decision.scope ? { scope: decision.scope } : {});
      } else if (decision.action === "deny") {
        await session.deny(requestId, decision.reason ? { reason: decision.reason } : {});
      } else {
        await session.answer(requestId, decision.answers);
      }
    } catch (error) {
      this.#deciders.delete(requestId);
      throw error;
    }
  }

  resolved({ request_id, outcome, by, seq }: SessionEventOf<"approval_resolved">): void {
    const who = this.#deciders.get(request_id) ?? by;
    this.#deciders.delete(request_id);
    this.#judged.delete(request_id);
    this.#office.timeline.append({
      type: "approval_resolved",
      agent: this.#spec.id,
      session_seq: seq,
      request_id,
      outcome,
      ...(who !== undefined && { by: who }),
    });
    this.#keepTasks();
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
      await this.decide(request.request_id, decision, rule ?? "policy");
    } catch (error) {
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
