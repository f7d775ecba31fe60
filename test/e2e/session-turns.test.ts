import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";

const script = {
  rules: [
    { when: { tool_result: { is_error: true } }, text: "Then not." },
    { when: { tool_result: "Bash" }, text: "It is done." },
    { when: { user: "mark" }, tools: [{ name: "Bash", input: { command: "echo x > mark" } }] },
    { when: { user: "tell" }, text: "A long story.", delta_chars: 2, delta_delay_ms: 300 },
    { text: "I am here." },
  ],
};

const shape = (events: readonly SessionEvent[]): string[] =>
  events
    // Not on a CLI that is listed as proven.
    .filter((event) => event.type !== "notice" || event.code !== "cli_untested")
    .map((event) => (event.type === "status" ? `status ${event.state}` : event.type))
    // These come at their own pace.
    .filter((type) => type !== "usage" && type !== "message_seen")
    // Pieces of one text count once.
    .filter((type, at, all) => type !== all[at - 1] || !type.endsWith("_delta"));

test("a session carries a message, its answer, an approval, a tool call and the next turn", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage);
  const first = await talk.say("make the mark", { id: "my-first" });
  const request = await talk.until("approval_request");
  expect(request).toMatchObject({ tool: "Bash", input: { command: "echo x > mark" } });
  const pending = [{ ...request, remaining_ms: expect.any(Number) }];
  expect(talk.session.status()).toMatchObject({ state: "waiting", pending });
  expect(existsSync(join(stage.cwd, "mark"))).toBe(false);
  await talk.send({ type: "approve", request_id: request.request_id }, "ann");
  const done = await talk.endOf(first);
  expect(existsSync(join(stage.cwd, "mark"))).toBe(true);
  expect(done).toMatchObject({ messages: ["my-first"], stop_reason: "completed" });
  expect(done.cost_usd).toBeGreaterThan(0);
  await talk.until("status", { fits: ({ state, seq }) => state === "idle" && seq > done.seq });
  expect(shape(talk.told)).toEqual([
    "session_changed",
    "user_message",
    "model_changed",
    "turn_started",
    "status running",
    "tool_input_delta",
    "tool_use",
    "approval_request",
    "status waiting",
    "approval_resolved",
    "status running",
    "tool_result",
    "text_delta",
    "done",
    "status idle",
  ]);
  const seen = talk.all("message_seen");
  expect(seen.map(({ id }) => id)).toEqual(["my-first"]);
  expect(seen[0]?.seq).toBeLessThan(done.seq);
  const { turn_id } = done;
  for (const event of talk.all("text_delta")) expect(event.turn_id).toBe(turn_id);
  expect(await talk.until("approval_resolved")).toMatchObject({
    by: "ann",
    outcome: "allowed",
    turn_id,
  });

  const second = await talk.ask("hello");
  expect(second.turn_id).not.toBe(turn_id);
  expect(talk.textOf(second.turn_id)).toBe("I am here.");
  expect(talk.session.status().cost_usd).toBeCloseTo(done.cost_usd + second.cost_usd, 9);
});
