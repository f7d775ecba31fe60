import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { Conversations } from "./conversations.ts";
import { resultOf, streamOf } from "./read-step.ts";
import { planSession } from "./session-plan.ts";
import type { ClaudeCodeSettings } from "./settings.ts";
import { PROVIDER } from "./settings.ts";

/** A model of the AI SDK whose calls are steps of Claude Code sessions. */
export class ClaudeCodeLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = PROVIDER;
  readonly modelId: string;
  /** The AI SDK fetches what is behind a URL: a session may not reach it. */
  readonly supportedUrls = {};
  readonly #settings: ClaudeCodeSettings;
  readonly #conversations: Conversations;

  constructor(modelId: string, settings: ClaudeCodeSettings, conversations: Conversations) {
    this.modelId = modelId;
    this.#settings = settings;
    this.#conversations = conversations;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { plan, opened } = await this.#step(options);
    return resultOf(opened.step, plan.warnings);
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { plan, opened } = await this.#step(options);
    const { step, conversation } = opened;
    // Nobody reads on: what the session would still say is for nobody.
    const leave = (): void => void (step.ended || conversation.close());
    return { stream: streamOf(step, plan.warnings, leave) };
  }

  async #step(options: LanguageModelV4CallOptions) {
    options.abortSignal?.throwIfAborted();
    const plan = planSession(this.modelId, this.#settings, options);
    return { plan, opened: await this.#conversations.step(plan, options) };
  }
}
