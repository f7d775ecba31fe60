import { readFileSync } from "node:fs";
import type { ModelTokens, TurnEndedEvent } from "../events.ts";
import { countOf } from "../normalise/lenient.ts";
import { tokensByModel } from "../normalise/result.ts";
import { configDirOf } from "./recover.ts";
import type { Row } from "./transcript.ts";
import { findTranscript, linesOf, parseRow } from "./transcript.ts";

/** What a session has cost, and the tokens behind it. */
export interface Spent {
  costUsd: number;
  byModel: Record<string, ModelTokens>;
}

const nothing: Spent = { costUsd: 0, byModel: {} };

/**
 * From where a CLI that takes up the session counts on: what the last one has left in the session's file when
 * it ended well. To be asked before this one ends, which then leaves a sum of its own. Never throws.
 */
export function spentBefore(env: Record<string, string> | undefined, sessionId: string): Spent {
  try {
    const path = findTranscript(configDirOf(env), sessionId);
    const row = path === undefined ? undefined : lastSum(path);
    if (!row) return nothing;
    return { costUsd: countOf(row.totalCostUSD), byModel: tokensByModel(row.modelUsage) };
  } catch {
    return nothing;
  }
}

function lastSum(path: string): Row | undefined {
  let last: Row | undefined;
  for (const line of linesOf(readFileSync(path))) {
    // A long session has many lines, and few of these.
    const row = line.includes("cost-state") ? parseRow(line) : null;
    if (row?.type === "cost-state") last = row;
  }
  return last;
}

/** What has been added, up to the end of the turn. */
export function spentSince(turn: TurnEndedEvent, before = nothing): Spent {
  // It counts anew where it did not find what was left.
  const from = turn.total_cost_usd < before.costUsd ? nothing : before;
  const entries = Object.entries(turn.model_usage).map(
    ([model, tokens]) => [model, subtract(tokens, from.byModel[model])] as const,
  );
  return {
    costUsd: difference(turn.total_cost_usd, from.costUsd),
    byModel: Object.fromEntries(entries.filter(([, tokens]) => isUsed(tokens))),
  };
}

const isUsed = (tokens: ModelTokens): boolean => Object.values(tokens).some((count) => count > 0);

function subtract(tokens: ModelTokens, from: ModelTokens | undefined): ModelTokens {
  const counts = Object.entries(tokens) as [keyof ModelTokens, number][];
  const added = counts.map(([key, count]) => [key, difference(count, from?.[key])] as const);
  return { ...tokens, ...Object.fromEntries(added) };
}

/** Sums of many small amounts drift in their last digits; a billionth of a dollar is no cost. */
const difference = (now: number, before = 0): number => Math.round((now - before) * 1e9) / 1e9;
