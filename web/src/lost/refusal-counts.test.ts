import type { TeamEventOf } from "agent-switchboard/wire";
import { expect, test } from "vitest";
import { countRefusals } from "./refusal-counts.ts";

const refused = (seq: number, to_agent: string, message = "no"): TeamEventOf<"refused"> => ({
  type: "refused",
  from_agent: "a",
  to_agent,
  error: { code: "not_allowed", message, retryable: false, hint: "Ask." },
  seq,
  at: `2026-11-18T10:00:0${seq}.000Z`,
});

test("the same refusal counts once, with its number and its newest words", () => {
  const counts = countRefusals([refused(3, "b", "newest"), refused(1, "b"), refused(2, "c")]);
  expect(counts).toMatchObject([
    { to: "b", count: 2, lastSeq: 3, message: "newest", lastAt: "2026-11-18T10:00:03.000Z" },
    { to: "c", count: 1, lastSeq: 2 },
  ]);
});
