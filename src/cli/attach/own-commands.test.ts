import { expect, test } from "vitest";
import type { SessionClient } from "../../client/core.ts";
import { ownCommand } from "./own-commands.ts";

/** What such a line asks of the session, while these requests wait. */
async function asks(line: string, ...pending: string[]): Promise<unknown[]> {
  const asked: unknown[] = [];
  const client = {
    approve: async (...given: unknown[]) => void asked.push("approve", ...given),
    deny: async (...given: unknown[]) => void asked.push("deny", ...given),
  } as unknown as SessionClient;
  await ownCommand(
    line,
    client,
    pending.map((request_id) => ({ request_id })),
  );
  return asked;
}

test("without an id the oldest request is answered", async () => {
  expect(await asks("/approve", "r1", "r2")).toEqual(["approve", "r1", { scope: "once" }]);
  expect(await asks("/approve session", "r1")).toEqual(["approve", "r1", { scope: "session" }]);
  expect(await asks("/deny", "r1")).toEqual(["deny", "r1", {}]);
  const reason = "too wild for me";
  expect(await asks(`/deny ${reason}`, "r1")).toEqual(["deny", "r1", { reason }]);
  await expect(asks("/approve")).rejects.toMatchObject({ code: "unknown_request" });
  await expect(asks("/deny too wild")).rejects.toMatchObject({ code: "unknown_request" });
});

test("with an id that request is answered, and never another in its place", async () => {
  expect(await asks("/approve r2 always", "r1", "r2")).toEqual([
    "approve",
    "r2",
    { scope: "always" },
  ]);
  expect(await asks("/deny r2 no", "r1", "r2")).toEqual(["deny", "r2", { reason: "no" }]);
  // Nothing is known of these here; the session knows whether they wait.
  expect(await asks("/approve foreign_7")).toEqual(["approve", "foreign_7", { scope: "once" }]);
  expect(await asks("/approve r9 session", "r1")).toEqual(["approve", "r9", { scope: "session" }]);
  expect(await asks("/deny foreign_7", "r1")).toEqual(["deny", "foreign_7", {}]);
  expect(await asks("/deny toolu_9 not now", "r1")).toEqual([
    "deny",
    "toolu_9",
    { reason: "not now" },
  ]);
});

test.for(["constructor of Foo throws, why?", "valueOf returns NaN", "/compact"])(
  "'%s' is a message",
  (line) => expect(ownCommand(line, {} as SessionClient, [])).toBeUndefined(),
);
