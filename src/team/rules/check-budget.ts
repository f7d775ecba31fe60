import { errorOf } from "../../wire/errors.ts";
import type { Budget } from "../file/team-schema.ts";
import type { Refusal } from "./refusal.ts";

export interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly turns: number;
}

/** Whether anything is left. An empty budget refuses the next delivery; a running turn may finish. */
export function checkBudget(whose: string, budget: Budget, spent: Spent): Refusal {
  for (const unit of ["usd", "tokens", "turns"] as const) {
    const limit = budget[unit];
    if (limit === undefined || spent[unit] < limit) continue;
    return errorOf(
      "budget_spent",
      `${whose} has spent ${amountText(unit, spent[unit])} of ${amountText(unit, limit)}.`,
      {
        data: { whose, unit, spent: spent[unit], limit },
      },
    );
  }
  return undefined;
}

const amountText = (unit: keyof Spent, amount: number): string =>
  unit === "usd" ? `$${amount.toFixed(2)}` : `${amount} ${unit}`;
