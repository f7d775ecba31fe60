import { computed } from "@preact/signals";
import type { Conversation } from "agent-switchboard/client/core";
import type { PendingRequest, SessionEventOf } from "agent-switchboard/wire";
import type { TalkState } from "../state/talk-state.ts";
import type { Call, Decision, EndedCall, Outcome } from "./call.ts";
import type { Decider } from "./decider.ts";

/** The requests of the one session that the gateway serves. */
export class SessionDecider implements Decider {
  readonly #session: TalkState;
  readonly #calls = new WeakMap<PendingRequest, Call>();
  /** The newest event when the page was opened. */
  #before: number | undefined;

  readonly waiting = computed(() =>
    this.#session.conversation.value.pending.map((request) => this.#callOf(request)),
  );

  readonly isConnected = computed(() => this.#session.link.value.kind === "live");

  readonly isCaughtUp = computed(() => {
    const { seq } = this.#session.conversation.value;
    if (this.isConnected.value && seq > 0) this.#before ??= this.#session.client.init.last_seq;
    return this.#before !== undefined && seq >= this.#before;
  });

  constructor(session: TalkState) {
    this.#session = session;
  }

  outcomeOf(id: string): Outcome | undefined {
    return endedCalls(this.#session.conversation.value).findLast((call) => call.id === id)?.end;
  }

  async decide(id: string, decision: Decision): Promise<void> {
    const { client } = this.#session;
    switch (decision.kind) {
      case "approve": {
        const { kind: _, ...options } = decision;
        await client.approve(id, options);
        break;
      }
      case "deny": {
        const { kind: _, ...options } = decision;
        await client.deny(id, options);
        break;
      }
      case "answer":
        await client.answer(id, decision.answers);
        break;
      default:
        await client.respond(id, decision.action, decision.content);
    }
  }

  hold(id: string, ms: number): Promise<void> {
    return this.#session.client.hold(id, ms);
  }

  async ask(): Promise<readonly Call[]> {
    const { pending } = await this.#session.client.status();
    return pending.map((request) => this.#callOf(request));
  }

  async wholeText(_call: Call, blob: string): Promise<string> {
    return new TextDecoder().decode(await this.#session.client.blob(blob));
  }

  #callOf(request: PendingRequest): Call {
    const known = this.#calls.get(request);
    if (known) return known;
    const call = { id: request.request_id, agent: undefined, request };
    this.#calls.set(request, call);
    return call;
  }
}

/** The decided calls of a conversation, oldest first. */
export function endedCalls({ items }: Conversation): EndedCall[] {
  return items.flatMap((item) => {
    if (item.kind === "tool" && item.request && item.decision) {
      return [ended(item.request, item.decision)];
    }
    if (item.kind !== "note" || item.decision === undefined) return [];
    const { note } = item;
    if (note.type === "elicitation") return [ended(note, item.decision)];
    if (note.type !== "notice" || note.request_id === undefined) return [];
    return [ended({ ...note, request_id: note.request_id }, item.decision)];
  });
}

function ended(request: PendingRequest, event: SessionEventOf<"approval_resolved">): EndedCall {
  const { outcome, by, rule, scope, reason, updated_input: updatedInput, plan, at } = event;
  const end = { outcome, by, rule, scope, reason, updatedInput, plan, at };
  return { id: request.request_id, agent: undefined, request, askedAt: request.at, end };
}
