import type { Records } from "../../bus/records.ts";
import type { SessionClient, SessionView } from "../../client/index.ts";
import { POLICY } from "../../wire/client-name.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import type { JsonObject } from "../../wire/json.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { SWITCHBOARD } from "../../wire/team/senders.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { summaryOf } from "./narrate.ts";

export type Decision =
  | { readonly action: "approve"; readonly scope?: "once" | "session" | "always" }
  | { readonly action: "deny"; readonly reason?: string }
  | { readonly action: "answer"; readonly answers: Record<string, string | string[]> };

/** Who decided: a client by its name. */
export interface Decider {
  readonly by: string;
}

const DECIDERS = "deciders";
const refusals: ReadonlySet<ErrorCode> = new Set(["unknown_request", "already_resolved"]);

export interface ApproverOptions {
  readonly agent: AgentId;
  readonly view: SessionView;
  readonly records: Records;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  /** The agent's session, as far as there is one. */
  readonly session: () => SessionClient | undefined;
}

/** Passes on what people decide, and keeps who it was. The policy decides in the agent's own session. */
export class Approver {
  readonly #agent: AgentId;
  readonly #view: SessionView;
  readonly #records: Records;
  readonly #tasks: TaskBook;
  readonly #timeline: Timeline;
  readonly #session: () => SessionClient | undefined;

  constructor(options: ApproverOptions) {
    this.#agent = options.agent;
    this.#view = options.view;
    this.#records = options.records;
    this.#tasks = options.tasks;
    this.#timeline = options.timeline;
    this.#session = options.session;
  }

  get pending(): PendingRequest[] {
    return this.#view.pending;
  }

  /** To be called when a request for a person may have come or gone. */
  look(): void {
    this.#keepTasks();
  }

  /** @throws `unknown_request`, `already_resolved`, `agent_unavailable`-like errors of the session. */
  async decide(requestId: string, decision: Decision, decider: Decider): Promise<void> {
    const session = this.#session();
    if (!session) {
      throw errorOf("agent_unavailable", `${this.#agent} is being restarted.`, {
        data: { agent_id: this.#agent },
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
    const { request_id, outcome, seq } = event;
    this.#keepTasks();
    if (!isNews) return;
    const known = await this.#records.get(DECIDERS, request_id);
    this.#timeline.append({
      type: "approval_resolved",
      agent: this.#agent,
      session_seq: seq,
      request_id,
      outcome,
      ...deciderOf(event, known?.value),
      ...this.#changeOf(event),
    });
    if (known) await this.#forget(request_id);
  }

  /** What ran, where a person changed the call before they allowed it. */
  #changeOf({ request_id, updated_input }: SessionEventOf<"approval_resolved">) {
    const call = this.#view.openCalls.get(request_id);
    if (!updated_input || !call) return {};
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
    await this.#records.write([{ kind: "remove", collection: DECIDERS, key: requestId }]);
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

/**
 * A rule is told by the session alone, so that no client can pass for the policy. The client that decided through the
 * team is known to the team alone.
 */
function deciderOf(
  { by, rule }: SessionEventOf<"approval_resolved">,
  known: JsonObject | undefined,
): { by?: string; rule?: string } {
  if (rule !== undefined) return { by: POLICY, rule };
  if (by === SWITCHBOARD && typeof known?.["by"] === "string") return { by: known["by"] };
  return by === undefined ? {} : { by };
}
