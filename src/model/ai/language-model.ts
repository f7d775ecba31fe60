import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { Conversations, OpenedStep } from "./find-conversation.ts";
import { resultOf, streamOf } from "./read-step.ts";
import { planSession } from "./session-plan.ts";
import type { ClaudeCodeSettings } from "./provider-settings.ts";
import { PROVIDER } from "./provider-settings.ts";

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
    const { step, warnings } = await this.#step(options);
    return resultOf(step.read(options.abortSignal), warnings);
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { step, leave, warnings } = await this.#step(options);
    return { stream: streamOf(step.read(options.abortSignal), warnings, leave) };
  }

  async #step(options: LanguageModelV4CallOptions): Promise<OpenedStep> {
    options.abortSignal?.throwIfAborted();
    const plan = planSession(this.modelId, this.#settings, options);
    const opened = await this.#conversations.step(plan, options);
    return { ...opened, warnings: [...plan.warnings, ...opened.warnings] };
  }
}
