import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { TokenUsage } from "../../wire/session/shared-schemas.ts";

/** The tokens of the requests of one step. */
export class StepTokens {
  #told: Tokens = none;
  #now: Tokens = none;

  /** One request to the model has ended. */
  add(usage: TokenUsage): void {
    this.#now = sum(this.#now, complete(usage));
  }

  /** The step ends: returns its tokens, and the next step begins at zero. */
  take(): LanguageModelV4Usage {
    const usage = toUsage(this.#now);
    this.#told = sum(this.#told, this.#now);
    this.#now = none;
    return usage;
  }

  /** The turn ends, and the CLI has counted all of it, also requests that were not streamed. */
  takeRest(turn: TokenUsage): LanguageModelV4Usage {
    const all = complete(turn);
    const rest = Object.fromEntries(
      names.map((name) => [name, Math.max(all[name] - this.#told[name], this.#now[name])]),
    ) as Tokens;
    return toUsage(rest);
  }
}

const names = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const;
type Tokens = Record<(typeof names)[number], number>;

const complete = (usage: TokenUsage): Tokens =>
  Object.fromEntries(names.map((name) => [name, usage[name] ?? 0])) as Tokens;
const sum = (one: Tokens, other: Tokens): Tokens =>
  Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Tokens;
const none: Tokens = complete({ input_tokens: 0, output_tokens: 0 });

/** The API counts cached tokens separately; the AI SDK includes them. */
function toUsage(tokens: Tokens): LanguageModelV4Usage {
  const { input_tokens: noCache, output_tokens: output } = tokens;
  const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = tokens;
  return {
    inputTokens: { total: noCache + cacheRead + cacheWrite, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
    raw: { ...tokens },
  };
}

export const noUsage: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
