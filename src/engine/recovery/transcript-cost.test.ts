import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { ModelTokens, TurnEndedEvent } from "../events.ts";
import { costBefore, costSince } from "./transcript-cost.ts";

const sum = (totalCostUSD: number, inputTokens: number) => ({
  type: "cost-state",
  totalCostUSD,
  modelUsage: { sonnet: { inputTokens, costUSD: totalCostUSD } },
});

const tokens = (input_tokens: number, cost_usd: number): ModelTokens => ({
  input_tokens,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cost_usd,
});

/** What a CLI that was started in this place has to count on from. */
function before(...rows: object[]) {
  const configDir = tempDir();
  const project = join(configDir, "projects", "p");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "s.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return costBefore({ CLAUDE_CONFIG_DIR: configDir }, "s");
}

const turn = (total_cost_usd: number, model_usage: Record<string, ModelTokens>) =>
  ({ total_cost_usd, model_usage }) as TurnEndedEvent;

test("costBefore reads the last total that a CLI left, and not a text that mentions one", () => {
  const words = { type: "user", message: { content: "cost-state" } };
  expect(before(sum(0.1, 10), sum(0.3, 30), words)).toEqual({
    costUsd: 0.3,
    byModel: { sonnet: tokens(30, 0.3) },
  });
  const nothing = { costUsd: 0, byModel: {} };
  expect(before(words)).toEqual(nothing);
  expect(costBefore({ CLAUDE_CONFIG_DIR: tempDir() }, "s")).toEqual(nothing);
});

test("costSince returns what a request added, per model", () => {
  const spent = before(sum(0.1, 10));
  const more = turn(0.3, { sonnet: tokens(10, 0.1), haiku: tokens(7, 0.2) });
  expect(costSince(more, spent)).toEqual({ costUsd: 0.2, byModel: { haiku: tokens(7, 0.2) } });
  expect(costSince(turn(0.3, { sonnet: tokens(30, 0.3) }), spent)).toEqual({
    costUsd: 0.2,
    byModel: { sonnet: tokens(20, 0.2) },
  });
  // A CLI that counts from zero again.
  expect(costSince(turn(0.05, { sonnet: tokens(5, 0.05) }), spent)).toEqual({
    costUsd: 0.05,
    byModel: { sonnet: tokens(5, 0.05) },
  });
});
