import { expect, test } from "vitest";
import type { SessionEvent } from "../../../wire/session/events.ts";
import { cliUuidOf } from "../cli-message-uuid.ts";
import { turnsFromLog } from "./turns-from-log.ts";

const at = "2026-11-18T00:00:00.000Z";
const asked = { input_tokens: 10, output_tokens: 5 };
const notAsked = { input_tokens: 0, output_tokens: 0 };

let seq = 0;
const event = (fields: object): SessionEvent => ({ seq: ++seq, at, ...fields }) as SessionEvent;
const accepted = (id: string, text = `words of ${id}`, more = {}) =>
  event({ type: "user_message", id, text, ...more });
const seen = (id: string) => event({ type: "message_seen", id });
const begun = (turn_id: string, messages: string[], cause = "message") =>
  event({ type: "turn_started", turn_id, messages, cause });
const spoken = (text: string, block = 0) => event({ type: "text_delta", block, text });
const done = (messages: string[], stop_reason = "completed", usage = asked) =>
  event({ type: "done", turn_id: "t", messages, stop_reason, usage, cost_usd: 0, duration_ms: 1 });

/** Each turn as a list: messages by their words, texts, and calls with their results. */
async function said(...events: SessionEvent[]) {
  const turns = await turnsFromLog(events, async (text) => (typeof text === "string" ? text : ""));
  return turns.map(({ items }) =>
    items.map((item) => {
      if (item.kind === "message") return item.message.content;
      return item.kind === "text" ? item.text : [item.request_id, item.result?.content];
    }),
  );
}

test("a turn has its message, the model's complete texts, and calls with their results", async () => {
  const call = { request_id: "c", tool: "Bash", input: { command: "ls" } };
  expect(
    await said(
      accepted("a"),
      begun("t", ["a"]),
      seen("a"),
      spoken("I "),
      spoken("look."),
      event({ type: "tool_use", ...call }),
      event({ type: "tool_use", ...call, request_id: "of a sub-agent", parent: "c" }),
      event({ type: "tool_result", request_id: "c", output: "files", is_error: false }),
      spoken("void", 1),
      event({ type: "retracted", block: 1 }),
      spoken("Done.", 2),
      done(["a"]),
    ),
  ).toEqual([["words of a", "I look.", ["c", "files"], "Done."]]);
});

test("messages that wait, were dropped, or never reached the model are left out", async () => {
  expect(
    await said(
      accepted("waits"),
      accepted("dropped"),
      event({ type: "message_dropped", id: "dropped", reason: "aborted" }),
      accepted("refused by a hook"),
      begun("t", ["refused by a hook"]),
      done(["refused by a hook"], "completed", notAsked),
      accepted("c", "/context"),
      seen("c"),
      begun("t", ["c"]),
      spoken("Context usage"),
      done(["c"], "completed", notAsked),
    ),
  ).toEqual([]);
});

test("a message that arrives during a turn belongs to it if that turn ends it, or else to its own", async () => {
  const events = [
    accepted("a"),
    begun("t", ["a"]),
    spoken("One."),
    accepted("b"),
    spoken("Two.", 1),
  ];
  expect(await said(...events, done(["a", "b"]))).toEqual([
    ["words of a", "One.", "words of b", "Two."],
  ]);
  const apart = [done(["a"]), begun("u", ["b"]), spoken("Three."), done(["b"])];
  expect(await said(...events, ...apart)).toEqual([
    ["words of a", "One.", "Two."],
    ["words of b", "Three."],
  ]);
});

test("a message of a turn that a crash cut stays in that turn, and a quiet one is where it was seen", async () => {
  expect(
    await said(
      accepted("a"),
      begun("t", ["a"]),
      seen("a"),
      done([], "host_lost"),
      begun("u", ["a"], "resume"),
      spoken("One."),
      done(["a"]),
      accepted("q", "quiet", { quiet: true }),
      seen("q"),
    ),
  ).toEqual([["words of a"], ["One."], ["quiet"]]);
});

test("a message has the CLI's id, and the mark of its sender", async () => {
  const events = [accepted("a", "hi", { from: "bob" }), begun("t", ["a"]), done(["a"])];
  const [turn] = await turnsFromLog(events, async () => "");
  expect(turn?.items[0]).toMatchObject({
    message: { id: cliUuidOf("a"), relayed: true, content: expect.stringContaining('"bob"') },
    seen: false,
  });
});
