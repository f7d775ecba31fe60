import type { SessionClient, SessionView } from "../../client/index.ts";
import type { TurnPlace } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Recipient } from "../delivery/recipient-port.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import type { MessageContents } from "../record/contents-of-messages.ts";
import type { AgentRunner } from "./agent-runner.ts";
import { openSessionOf } from "./agent-states.ts";
import { openCallFor } from "./open-call-of-message.ts";
import type { NewestTurnStarts } from "./newest-turn-start.ts";

export interface AgentRecipientOptions {
  readonly id: AgentId;
  readonly view: SessionView;
  readonly life: Pick<AgentRunner, "now" | "wake">;
  readonly replies: Pick<AutomaticAnswers, "cutTasks">;
  readonly turns: Pick<NewestTurnStarts, "of">;
  readonly contents: Pick<MessageContents, "of">;
  readonly refusalOf: Recipient["refusalOf"];
}

/** An agent as its inbox sees it. */
export class AgentRecipient implements Recipient {
  readonly id: AgentId;
  readonly refusalOf: Recipient["refusalOf"];
  readonly #view: SessionView;
  readonly #life: Pick<AgentRunner, "now" | "wake">;
  readonly #replies: Pick<AutomaticAnswers, "cutTasks">;
  readonly #turns: Pick<NewestTurnStarts, "of">;
  readonly #contents: Pick<MessageContents, "of">;

  constructor(options: AgentRecipientOptions) {
    this.id = options.id;
    this.refusalOf = options.refusalOf;
    this.#view = options.view;
    this.#life = options.life;
    this.#replies = options.replies;
    this.#turns = options.turns;
    this.#contents = options.contents;
  }

  get session(): Recipient["session"] {
    const client = openSessionOf(this.#life.now)?.client;
    return (
      client && {
        send: (words, options) => this.#send(client, words, options),
        drop: (id) => client.drop(id),
      }
    );
  }

  /** What the user sent with pictures goes to the session as it was sent. Agents exchange text. */
  async #send(
    client: SessionClient,
    ...[words, options = {}]: Parameters<SessionClient["send"]>
  ): ReturnType<SessionClient["send"]> {
    const { id, from } = options;
    const isOfUser = id !== undefined && from === undefined;
    const content = isOfUser ? await this.#contents.of(id) : undefined;
    return client.send(content ?? words, options);
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

  get runningTurn(): { turn?: TurnPlace } {
    const turn = this.#turns.of(this.#view.state.turn?.turnId);
    return turn ? { turn } : {};
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
