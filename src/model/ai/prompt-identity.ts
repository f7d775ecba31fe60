import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Forms that an adapter made, and what it was given. */
const originals = new WeakMap<LanguageModelV4Prompt, object>();

/** An adapter makes a new prompt each time; what it was given tells a call that is tried again. */
export function noteOriginal(prompt: LanguageModelV4Prompt, original: object): void {
  originals.set(prompt, original);
}

/**
 * The AI SDK makes one prompt for each call and gives that very object to each of its attempts: this is how a
 * call that is tried again differs from one that only says the same.
 */
export const identityOf = (prompt: LanguageModelV4Prompt): object =>
  originals.get(prompt) ?? prompt;
