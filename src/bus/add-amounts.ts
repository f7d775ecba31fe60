import { errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";

/** `value` with the amounts added to its numbers. Fails with `invalid_params` where there is no number. */
export function addAmounts(value: JsonObject, amounts: Record<string, number>): JsonObject {
  const sum = { ...value };
  for (const [name, amount] of Object.entries(amounts)) {
    const before = sum[name] ?? 0;
    if (typeof before !== "number" || !Number.isFinite(amount)) {
      throw errorOf("invalid_params", `amounts.${name}: only a number can be added to a number.`);
    }
    sum[name] = before + amount;
  }
  return sum;
}
