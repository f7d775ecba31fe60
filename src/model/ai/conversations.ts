import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { Conversation } from "./conversation.ts";
import type { SessionPlan } from "./session-plan.ts";
import { MAX_HELD } from "./settings.ts";
import type { Step } from "./step.ts";

/** How long the steps of a conversation that has ended can be asked for again. */
const KEEP_MS = 60_000;

export interface OpenedStep {
  step: Step;
  conversation: Conversation;
}

/** Finds the conversation that a prompt goes on with, by the ids of the calls that it answers. */
export class Conversations {
  readonly #maxHeld: number;
  readonly #byCall = new Map<string, Conversation>();
  readonly #open = new Set<Conversation>();
  /** Oldest first. */
  readonly #held = new Set<Conversation>();

  constructor(maxHeld = MAX_HELD) {
    this.#maxHeld = maxHeld;
  }

  /** A step of the conversation that the prompt goes on with, or of a new one. */
  async step(plan: SessionPlan, options: LanguageModelV4CallOptions): Promise<OpenedStep> {
    const known = this.#find(options.prompt);
    if (known) {
      this.#held.delete(known);
      const step = await known.resume(plan, options);
      if (step) return { step, conversation: known };
      // Its prompt has been changed since: what it waits for will not come.
      await known.close();
    }
    return this.#start(plan, options);
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((conversation) => conversation.close()));
  }

  async #start(plan: SessionPlan, options: LanguageModelV4CallOptions): Promise<OpenedStep> {
    const ids: string[] = [];
    const conversation = new Conversation(plan, options, {
      onHeld: (held) => {
        ids.push(...held);
        for (const id of held) this.#byCall.set(id, conversation);
        this.#hold(conversation);
      },
      onClosed: () => {
        this.#open.delete(conversation);
        this.#held.delete(conversation);
        const forget = () => ids.forEach((id) => this.#byCall.delete(id));
        setTimeout(forget, KEEP_MS).unref();
      },
    });
    this.#open.add(conversation);
    try {
      return { step: await conversation.start(options), conversation };
    } catch (error) {
      await conversation.close(error);
      throw error;
    }
  }

  #hold(conversation: Conversation): void {
    this.#held.add(conversation);
    const [oldest] = this.#held;
    if (oldest && this.#held.size > this.#maxHeld) void oldest.close();
  }

  #find(prompt: LanguageModelV4Prompt): Conversation | undefined {
    const last = prompt.findLast(({ role }) => role === "assistant");
    if (last?.role !== "assistant") return undefined;
    const calls = last.content.filter((part) => part.type === "tool-call");
    return calls.map(({ toolCallId }) => this.#byCall.get(toolCallId)).find(Boolean);
  }
}
