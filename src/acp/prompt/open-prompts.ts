import type { SessionClient, SessionEvent, SessionEventOf } from "../../client/index.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { PromptOutcome } from "./prompt-outcome.ts";
import { cancelled, failedWith, outcomeOf } from "./prompt-outcome.ts";
import type { PromptEffect, PromptFact, PromptStage } from "./prompt-stage.ts";
import { sentPrompt, stepPrompt } from "./prompt-stage.ts";

type Message = Parameters<SessionClient["send"]>[0];

interface OpenPrompt {
  readonly message: Message;
  stage: PromptStage;
  readonly settle: (outcome: PromptOutcome) => void;
}

/** The prompts of the editor that have no answer yet. Each gets exactly one. */
export class OpenPrompts {
  readonly #client: () => SessionClient;
  readonly #open = new Map<string, OpenPrompt>();
  /** Also those that are over: their echo may come in a replay. */
  readonly #own = new Set<string>();
  #turn: string | undefined;
  #error: SessionEventOf<"error"> | undefined;

  /** @param turn the turn that runs already. */
  constructor(client: () => SessionClient, turn: string | undefined) {
    this.#client = client;
    this.#turn = turn;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Something is going on, for this editor or for another client. */
  get isBusy(): boolean {
    return this.size > 0 || this.#turn !== undefined;
  }

  isOwn(id: string): boolean {
    return this.#own.has(id);
  }

  /** Sends a message and resolves when a turn has ended it. */
  send(id: string, message: Message): Promise<PromptOutcome> {
    return new Promise((settle) => {
      this.#own.add(id);
      this.#open.set(id, { message, stage: sentPrompt, settle });
      void this.#transmit(id, message);
    });
  }

  /** After a new connection: what the session has not accepted is sent again, under its id. */
  sendAgain(): void {
    for (const [id, { stage, message }] of this.#open) {
      if (stage.stage === "sent") void this.#transmit(id, message);
    }
  }

  cancelAll(): void {
    let isAborted = false;
    for (const id of this.#open.keys()) {
      if (this.#apply(id, { type: "cancel" }) === "abort") isAborted = true;
    }
    // Another client, or an earlier editor, may have started it.
    if (!isAborted && this.#turn !== undefined) this.#abort();
  }

  failAll(error: ClaudeCodeError): void {
    this.#turn = undefined;
    for (const id of this.#open.keys()) {
      this.#apply(id, { type: "ended", outcome: failedWith(error) });
    }
  }

  take(event: SessionEvent): void {
    switch (event.type) {
      case "user_message":
        this.#apply(event.id, { type: "accepted" });
        break;
      case "turn_started":
        this.#turn = event.turn_id;
        this.#error = undefined;
        for (const id of event.messages) this.#apply(id, { type: "turn_started" });
        break;
      case "message_seen":
        // It has joined the turn that runs.
        if (this.#turn !== undefined) this.#apply(event.id, { type: "turn_started" });
        break;
      case "error":
        this.#error = event;
        break;
      case "message_dropped": {
        const outcome = event.reason === "failed" ? outcomeOf("failed", this.#error) : cancelled;
        this.#apply(event.id, { type: "ended", outcome });
        break;
      }
      case "done": {
        this.#turn = undefined;
        const outcome = outcomeOf(event.stop_reason, this.#error);
        for (const id of event.messages) this.#apply(id, { type: "ended", outcome });
        break;
      }
      default:
    }
  }

  async #transmit(id: string, message: Message): Promise<void> {
    try {
      const { over } = await this.#client().send(message, { id });
      this.#apply(id, { type: "accepted" });
      // Sent before, and its turn has ended while we were away.
      if (over === "seen")
        this.#apply(id, { type: "ended", outcome: outcomeOf("completed", undefined) });
      if (over === "dropped") this.#apply(id, { type: "ended", outcome: cancelled });
    } catch (error) {
      const isLost = error instanceof ClaudeCodeError && error.code === "connection_lost";
      // The end of the connection decides: the message is sent again, or all prompts fail.
      if (isLost) return;
      const failure =
        error instanceof ClaudeCodeError
          ? error
          : errorOf("internal", String(error), { cause: error });
      this.#apply(id, { type: "ended", outcome: failedWith(failure) });
    }
  }

  #apply(id: string, fact: PromptFact): PromptEffect | undefined {
    const prompt = this.#open.get(id);
    if (!prompt) return undefined;
    const { stage, effect } = stepPrompt(prompt.stage, fact);
    prompt.stage = stage;
    if (stage.stage === "ended") {
      this.#open.delete(id);
      prompt.settle(stage.outcome);
    }
    if (effect === "abort") this.#abort();
    else if (effect === "drop") void this.#drop(id);
    return effect;
  }

  /** Without an answer, the session's events decide. */
  #abort(): void {
    this.#client()
      .abort()
      .catch(() => {});
  }

  async #drop(id: string): Promise<void> {
    const outcome = await this.#client()
      .drop(id)
      .catch(() => "too_late" as const);
    if (outcome === "too_late" && this.#open.has(id)) this.#abort();
  }
}
