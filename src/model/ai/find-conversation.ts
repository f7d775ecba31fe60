import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { ReadStep } from "./model-conversation.ts";
import { ModelConversation } from "./model-conversation.ts";
import { LostCalls } from "./report-lost-calls.ts";
import { identityOf } from "./prompt-identity.ts";
import type { SessionPlan } from "./session-plan.ts";
import { planAnew } from "./session-plan.ts";
import { MAX_HELD } from "./provider-settings.ts";

/** How long the steps of an ended conversation can be requested again. */
const KEEP_MS = 60_000;

export interface OpenedStep extends ReadStep {
  warnings: SharedV4Warning[];
}

const CHANGED =
  "What was said before, the input of a call or the schema of a tool has been changed since";
const NOT_WAITING = "The session that called these tools does not wait any more";
const BEGUN_ANEW = "a new session began, with the conversation as text";
const TAKEN_UP = "the session that is resumed was given their results as text";

/** A caller that brings results expects the session that asked for them to continue. */
const warn = (why: string, instead: string): SharedV4Warning => ({
  type: "other",
  message: `${why}: ${instead}.`,
});

/** Finds the conversation that a call belongs to: by the calls that it answers, or as a repeated request. */
export class Conversations {
  readonly #maxHeld: number;
  readonly #byPrompt = new WeakMap<object, ModelConversation>();
  readonly #byRequest = new Map<string, ModelConversation>();
  readonly #byCall = new Map<string, ModelConversation>();
  readonly #lost = new LostCalls();
  readonly #open = new Set<ModelConversation>();
  /** Oldest first. */
  readonly #held = new Set<ModelConversation>();

  constructor(maxHeld = MAX_HELD) {
    this.#maxHeld = maxHeld;
  }

  /**
   * A step of the conversation that the prompt continues, or of a new one.
   *
   * @throws once, why a session that waited for these results is gone.
   */
  async step(plan: SessionPlan, options: LanguageModelV4CallOptions): Promise<OpenedStep> {
    const again = this.#again(plan, options);
    if (again) return { ...again, warnings: [] };
    const calls = lastCalls(options.prompt);
    const lost = this.#lost.take(calls);
    if (lost) throw lost;
    const known = this.#withCalls(calls);
    // A conversation that has continued since belongs to another caller and is left alone.
    const waits = known?.waitsFor(calls) === true;
    if (known && waits) {
      this.#held.delete(known);
      const step = await known.resume(plan, options);
      if (step) return { ...step, warnings: [] };
      // What it waits for will not come.
      await known.close();
      // The session that would be resumed holds what was changed.
      const opened = await this.#start(planAnew(plan, options), options);
      return { ...opened, warnings: [warn(CHANGED, BEGUN_ANEW)] };
    }
    const opened = await this.#start(plan, options);
    if (calls.length === 0) return { ...opened, warnings: [] };
    const instead = plan.resume === undefined ? BEGUN_ANEW : TAKEN_UP;
    return { ...opened, warnings: [warn(NOT_WAITING, instead)] };
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((conversation) => conversation.close()));
  }

  #again(plan: SessionPlan, options: LanguageModelV4CallOptions): ReadStep | undefined {
    const { requestId } = plan;
    const candidates = [
      this.#byPrompt.get(identityOf(options.prompt)),
      requestId === undefined ? undefined : this.#byRequest.get(requestId),
      this.#withCalls(lastCalls(options.prompt)),
    ];
    for (const candidate of candidates) {
      const step = candidate?.again(plan, options);
      if (step) return step;
    }
    return undefined;
  }

  async #start(plan: SessionPlan, options: LanguageModelV4CallOptions): Promise<ReadStep> {
    const { requestId } = plan;
    const ids: string[] = [];
    const conversation = new ModelConversation(plan, options, {
      onHeld: (held) => {
        ids.push(...held);
        for (const id of held) this.#byCall.set(id, conversation);
        this.#hold(conversation);
      },
      onLost: (lost, error) => this.#lost.add(lost, error),
      onClosed: () => {
        this.#open.delete(conversation);
        this.#held.delete(conversation);
        setTimeout(() => this.#forget(conversation, ids, requestId), KEEP_MS).unref();
      },
    });
    this.#open.add(conversation);
    this.#byPrompt.set(identityOf(options.prompt), conversation);
    if (requestId !== undefined) this.#byRequest.set(requestId, conversation);
    try {
      return await conversation.start(options, this.#letGo(plan.session.resume));
    } catch (error) {
      await conversation.close(error);
      throw error;
    }
  }

  /** Two CLIs in one session would overwrite each other's conversation. */
  async #letGo(sessionId: string | undefined): Promise<void> {
    const waiting = [...this.#held].filter((each) => each.sessionId === sessionId);
    await Promise.all(waiting.map((each) => each.close()));
  }

  #hold(conversation: ModelConversation): void {
    this.#held.add(conversation);
    const [oldest] = this.#held;
    if (!oldest || this.#held.size <= this.#maxHeld) return;
    this.#held.delete(oldest);
    oldest.makeRoom(this.#maxHeld);
  }

  #forget(conversation: ModelConversation, ids: string[], requestId: string | undefined): void {
    for (const id of ids) this.#byCall.delete(id);
    if (requestId === undefined || this.#byRequest.get(requestId) !== conversation) return;
    this.#byRequest.delete(requestId);
  }

  #withCalls(ids: string[]): ModelConversation | undefined {
    return ids.map((id) => this.#byCall.get(id)).find(Boolean);
  }
}

/** The ids of the calls that the newest answer left to the caller. */
function lastCalls(prompt: LanguageModelV4Prompt): string[] {
  const last = prompt.findLast(({ role }) => role === "assistant");
  if (last?.role !== "assistant") return [];
  return last.content.flatMap((part) =>
    part.type === "tool-call" && part.providerExecuted !== true ? [part.toolCallId] : [],
  );
}
