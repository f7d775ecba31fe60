import type { SessionItem } from "../../client/core.ts";

/** Old events, cut where the last `turns` messages of people begin. */
export function recentPart(
  items: readonly SessionItem[],
  turns: number,
): { skipped: readonly SessionItem[]; part: readonly SessionItem[] } {
  let cut = 0;
  let left = turns;
  for (let at = items.length - 1; at >= 0 && left > 0; at -= 1) {
    if (items[at]?.type !== "user_message") continue;
    left -= 1;
    if (left === 0) cut = at;
  }
  return { skipped: items.slice(0, cut), part: items.slice(cut) };
}
