import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Prompts that an adapter made, and their originals. */
const originals = new WeakMap<LanguageModelV4Prompt, object>();

/** An adapter makes a new prompt each time; the original identifies a retried call. */
export function noteOriginal(prompt: LanguageModelV4Prompt, original: object): void {
  originals.set(prompt, original);
}

/**
 * The AI SDK makes one prompt per call and passes that object to each attempt: this distinguishes a retried call from
 * another with equal content.
 */
export const identityOf = (prompt: LanguageModelV4Prompt): object =>
  originals.get(prompt) ?? prompt;
