import { expect, test } from "vitest";
import { StepTokens } from "./step-tokens.ts";

test("steps add up to Claude Code's count, including the cache", () => {
  const tokens = new StepTokens();
  tokens.add({ input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 });
  tokens.add({ input_tokens: 20, output_tokens: 2 });
  const first = tokens.take();
  expect(first.inputTokens).toEqual({ total: 35, noCache: 30, cacheRead: 5, cacheWrite: 0 });
  expect(first.outputTokens.total).toBe(3);
  tokens.add({ input_tokens: 1, output_tokens: 1 });
  // One request was not streamed, so that only the turn knows of it.
  const turn = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 5 };
  const last = tokens.takeRest(turn);
  expect(last.inputTokens).toMatchObject({ total: 70, noCache: 70, cacheRead: 0 });
  expect(last.outputTokens.total).toBe(7);
});

test("a turn that counts less than was seen subtracts nothing", () => {
  const tokens = new StepTokens();
  tokens.add({ input_tokens: 10, output_tokens: 4 });
  expect(tokens.takeRest({ input_tokens: 0, output_tokens: 0 }).outputTokens.total).toBe(4);
});
