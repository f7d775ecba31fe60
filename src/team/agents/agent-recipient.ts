import type { SessionClient, SessionView } from "../../client/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Recipient } from "../delivery/recipient.ts";
import type { Replies } from "../delivery/replies.ts";
import type { AgentLife } from "./agent-life.ts";
import { openSessionOf } from "./life.ts";
import { openCallFor } from "./turn-context.ts";

export interface AgentRecipientOptions {
  readonly id: AgentId;
  readonly view: SessionView;
  readonly life: Pick<AgentLife, "now" | "wake">;
  readonly replies: Pick<Replies, "cutTasks">;
  readonly refusalOf: Recipient["refusalOf"];
}

/** An agent as its inbox sees it. */
export class AgentRecipient implements Recipient {
  readonly id: AgentId;
  readonly refusalOf: Recipient["refusalOf"];
  readonly #view: SessionView;
  readonly #life: Pick<AgentLife, "now" | "wake">;
  readonly #replies: Pick<Replies, "cutTasks">;

  constructor({ id, view, life, replies, refusalOf }: AgentRecipientOptions) {
    this.id = id;
    this.refusalOf = refusalOf;
    this.#view = view;
    this.#life = life;
    this.#replies = replies;
  }

  get session(): SessionClient | undefined {
    return openSessionOf(this.#life.now)?.client;
  }

  get isAsleep(): boolean {
    return this.#life.now.at === "asleep";
  }

  wake(): void {
    this.#life.wake();
  }

  get isBusy(): boolean {
    return this.#view.isBusy;
  }

  get openMessages(): readonly string[] {
    return this.#view.openMessages;
  }

  get cutTasks(): ReadonlySet<string> {
    return this.#replies.cutTasks(this.id);
  }

  hasSeen(id: string): boolean {
    return this.#view.hasSeen(id);
  }

  hasTaken(id: string): boolean {
    return this.#view.state.acceptedIds.has(id);
  }

  isOpenCall(callId: string): boolean {
    return this.#view.openCalls.has(callId);
  }

  openCallFor(messageId: string): string | undefined {
    return openCallFor(this.#view, messageId);
  }
}
