import { expect, test } from "vitest";
import { toStoredMessage } from "./stored-message.ts";
import type { CCMessage } from "../wire/team/messages.ts";

test("toStoredMessage limits a huge time to live to the largest one that a store can read back", () => {
  const metadata = { ttl: Number.MAX_SAFE_INTEGER, priority: "normal", correlation_id: null };
  const message = { type: "info", metadata } as unknown as CCMessage;
  expect(toStoredMessage(message, 1_000).expiresAt).toBe(Number.MAX_SAFE_INTEGER);
});
