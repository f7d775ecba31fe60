import { readFileSync } from "node:fs";
import type { ModelTokens, TurnEndedEvent } from "../events.ts";
import { countOf } from "../normalise/read-leniently.ts";
import { tokensByModel } from "../normalise/end-of-turn.ts";
import { configDirOf } from "./recover.ts";
import type { Row } from "./transcript.ts";
import { findTranscript, linesOf, parseRow } from "./transcript.ts";

/** The cost of a session, and its tokens. */
export interface TranscriptCost {
  costUsd: number;
  byModel: Record<string, ModelTokens>;
}

const nothing: TranscriptCost = { costUsd: 0, byModel: {} };

/**
 * The total from which a CLI that resumes the session continues: what the last one left in the session's file if it
 * ended cleanly. Read it before this CLI ends, because that leaves a total of its own. Never throws.
 */
export function costBefore(
  env: Record<string, string> | undefined,
  sessionId: string,
): TranscriptCost {
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

/** What was added, up to the end of the turn. */
export function costSince(turn: TurnEndedEvent, before = nothing): TranscriptCost {
  // The CLI counts from zero where it did not find a total.
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

/** Sums of many small amounts drift in their last digits; a billionth of a dollar is negligible. */
const difference = (now: number, before = 0): number => Math.round((now - before) * 1e9) / 1e9;
