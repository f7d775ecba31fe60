import { expect, test } from "vitest";
import { letterOf } from "./letter.ts";
import type { CCMessage } from "../wire/team.ts";

test("a time to live beyond all times ends at the last one that a store can give back", () => {
  const metadata = { ttl: Number.MAX_SAFE_INTEGER, priority: "normal", correlation_id: null };
  const message = { type: "info", metadata } as unknown as CCMessage;
  expect(letterOf(message, 1_000).expiresAt).toBe(Number.MAX_SAFE_INTEGER);
});
