import { expect, expectTypeOf, test } from "vitest";
import type { SessionCommandInput, SessionCommandOf } from "./commands.ts";
import { DEFAULT_DENIAL, parseCommand, SessionCommandSchema } from "./commands.ts";
import { reservedTypes } from "./shared-schemas.ts";

const parsed = (command: SessionCommandInput): unknown => {
  const result = parseCommand(command);
  return result.ok ? result.value : result.error;
};

// A literal: clients rely on it. A new name is added here and in the protocol's page.
test("the commands of version 1", () => {
  expect(SessionCommandSchema.options.map((option) => option.shape.type.value)).toEqual([
    "message",
    "approve",
    "deny",
    "answer",
    "respond",
    "drop",
    "hold",
    "revoke",
    "stop",
    "abort",
    "set_mode",
    "set_model",
    "set_thinking",
    "rename",
    "set_mcp_servers",
    "offer_tools",
    "tool_progress",
    "tool_return",
    "attach",
    "history",
    "search",
    "complete",
    "status",
    "get_blob",
    "ping",
    "shutdown",
  ]);
  expect(reservedTypes).toEqual([]);
});

test("parseCommand fills in defaults for fields that the client leaves out", () => {
  expect(parsed({ type: "message", text: "hi" })).toEqual({
    type: "message",
    text: "hi",
    priority: "next",
    quiet: false,
  });
  expect(parsed({ type: "approve", request_id: "r" })).toMatchObject({ scope: "once" });
  expect(parsed({ type: "deny", request_id: "r" })).toMatchObject({
    reason: "User denied",
    interrupt: false,
  });
  expect(DEFAULT_DENIAL).toBe("User denied");
  expect(parsed({ type: "abort" })).toMatchObject({ queue: "keep" });
  expect(parsed({ type: "history" })).toMatchObject({ limit: 200, whole: false });
  expect(parsed({ type: "search", text: "x" })).toMatchObject({ limit: 20 });
  expect(parsed({ type: "get_blob", blob: "b" })).toMatchObject({ offset: 0 });
});

test("millions of wrong items cost no more than one", () => {
  const message = parseCommand({ type: "message", content: Array.from({ length: 3_000_000 }) });
  const answers = Object.fromEntries(Array.from({ length: 500_000 }, (_, index) => [index, 1]));
  const answer = parseCommand({ type: "answer", request_id: "r", answers });
  expect(!message.ok && message.error.message).toBe(
    "message.content: expected at most 200 items, received 3000000",
  );
  expect(!answer.ok && answer.error.message).toBe(
    "answer.answers: expected at most 100 items, received 500000",
  );
});

const answers = (text: string) => ({ type: "answer", request_id: "r", answers: { q: text } });
const deny = (reason: string) => ({ type: "deny", request_id: "r", reason });

test("a reason or an answer is no longer than a payload that stands in the log", () => {
  const most = 262_144;
  const around = JSON.stringify({ q: "" }).length;
  const codes = [
    deny("ö".repeat(most / 2)),
    deny("ö".repeat(most / 2 + 1)),
    answers("x".repeat(most - around)),
    answers("x".repeat(most - around + 1)),
  ].map((command) => {
    const checked = parseCommand(command);
    return checked.ok ? "ok" : checked.error.code;
  });
  expect(codes).toEqual(["ok", "message_too_large", "ok", "message_too_large"]);
});

test("types are inferred from the schemas", () => {
  expectTypeOf<{ type: "message"; text: string }>().toExtend<SessionCommandInput>();
  expectTypeOf<{ type: "message"; text: number }>().not.toExtend<SessionCommandInput>();
  expectTypeOf<SessionCommandOf<"approve">["scope"]>().toEqualTypeOf<
    "once" | "session" | "always"
  >();
});
