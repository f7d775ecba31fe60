/// <reference lib="esnext.disposable" preserve="true" />
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { Conversations } from "./find-conversation.ts";
import { ClaudeCodeLanguageModel } from "./language-model.ts";
import type { ClaudeCodeSettings } from "./provider-settings.ts";
import type { ModelForV6 } from "./adapt-to-ai-sdk-6.ts";
import { asV3 } from "./adapt-to-ai-sdk-6.ts";

/** Models of Claude Code for the AI SDK. Closing it ends the sessions that wait for results. */
export interface ClaudeCodeProvider extends AsyncDisposable {
  /** @param modelId as `claude --model` takes it; `default` is the account's own choice. */
  (modelId?: string): LanguageModelV4;
  languageModel(modelId?: string): LanguageModelV4;
  /** For version 6 of the AI SDK. */
  v3(modelId?: string): ModelForV6;
  close(): Promise<void>;
}

export function createClaudeCode(settings: ClaudeCodeSettings = {}): ClaudeCodeProvider {
  const conversations = new Conversations(settings.maxHeld);
  const languageModel = (modelId = "default"): LanguageModelV4 =>
    new ClaudeCodeLanguageModel(modelId, settings, conversations);
  const close = (): Promise<void> => conversations.close();
  return Object.assign((modelId?: string) => languageModel(modelId), {
    languageModel,
    v3: (modelId?: string) => asV3(languageModel(modelId)),
    close,
    [Symbol.asyncDispose]: close,
  });
}
