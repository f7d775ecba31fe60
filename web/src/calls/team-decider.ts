import { computed } from "@preact/signals";
import { readBlob } from "agent-switchboard/team/core";
import type { TeamApproval, TeamEventOf } from "agent-switchboard/wire";
import type { TeamState } from "../state/team-state.ts";
import type { Call, Decision, Outcome } from "./call.ts";
import type { Decider } from "./decider.ts";

/** How many of the newest outcomes are known, to say who decided a call, also in the conversation. */
const MAX_OUTCOMES = 2_000;

/** The requests of all agents of a team. */
export class TeamDecider implements Decider {
  readonly #team: TeamState;
  readonly #outcomes = new Map<string, Outcome>();
  /** The same request is the same call, so that nothing is drawn again for it. */
  readonly #calls = new WeakMap<TeamApproval, Call>();
  /** The newest event when the page was opened. */
  #before: number | undefined;

  readonly waiting = computed(() => {
    void this.#team.tick.value;
    return [...this.#team.view.approvals.values()].map((each) => this.#callOf(each));
  });

  readonly isCaughtUp = computed(() => {
    void this.#team.tick.value;
    this.#before ??= this.#team.status.value?.last_seq;
    return this.#before !== undefined && this.#team.view.lastSeq >= this.#before;
  });

  readonly isConnected = computed(() => this.#team.link.value.kind === "live");

  constructor(team: TeamState) {
    this.#team = team;
    team.listen((items) => {
      for (const item of items) if (item.type === "approval_resolved") this.#learn(item);
    });
  }

  outcomeOf(id: string): Outcome | undefined {
    return this.#outcomes.get(id);
  }

  async decide(id: string, decision: Decision): Promise<void> {
    const { client } = this.#team;
    const request_id = id;
    switch (decision.kind) {
      case "approve": {
        const { kind: _, updatedInput: updated_input, ...rest } = decision;
        const input = updated_input === undefined ? {} : { updated_input };
        await client.request("approve", { request_id, ...rest, ...input });
        break;
      }
      case "deny": {
        const { kind: _, ...rest } = decision;
        await client.request("deny", { request_id, ...rest });
        break;
      }
      case "answer":
        await client.request("answer", { request_id, answers: decision.answers });
        break;
      default: {
        const { kind: _, ...rest } = decision;
        await client.request("respond", { request_id, ...rest });
      }
    }
  }

  async hold(id: string, ms: number): Promise<void> {
    await this.#team.client.request("hold", { request_id: id, ms });
  }

  async ask(): Promise<readonly Call[]> {
    const { approvals } = await this.#team.client.request("approvals", {});
    return approvals.map((each) => this.#callOf(each));
  }

  async wholeText({ agent = "" }: Call, blob: string): Promise<string> {
    return new TextDecoder().decode(await readBlob(this.#team.client, agent, blob));
  }

  #callOf(approval: TeamApproval): Call {
    const known = this.#calls.get(approval);
    if (known) return known;
    const { agent, request } = approval;
    const call = { id: request.request_id, agent, request };
    this.#calls.set(approval, call);
    return call;
  }

  #learn(event: TeamEventOf<"approval_resolved">): void {
    this.#outcomes.set(event.request_id, outcomeOfEvent(event));
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_OUTCOMES && oldest !== undefined) this.#outcomes.delete(oldest);
  }
}

export const outcomeOfEvent = (event: TeamEventOf<"approval_resolved">): Outcome => ({
  outcome: event.outcome,
  by: event.by,
  rule: event.rule,
  scope: event.scope,
  reason: event.reason,
  updatedInput: event.updated_input,
  plan: event.plan,
  at: event.at,
});
