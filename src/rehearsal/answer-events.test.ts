import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeMessage, streamEvents } from "./answer-events.ts";
import type { ScriptedAnswer } from "./answer-schema.ts";
import { AnswerSchema } from "./answer-schema.ts";
import type { AnswerMessage, StreamEvent } from "./messages-api.ts";
import { MessagesRequestSchema } from "./messages-api.ts";
import { Play } from "./play-script.ts";

const request = MessagesRequestSchema.parse({
  model: "claude-x",
  stream: true,
  messages: [{ role: "user", content: "hi" }],
});

function compose(answer: ScriptedAnswer): AnswerMessage {
  return composeMessage(answer, request, new Play({ seed: 1, rules: [] }));
}

/** What a client puts together from the stream. */
function assemble(events: StreamEvent[]): unknown[] {
  const blocks: Record<string, string>[] = [];
  for (const event of events) {
    if (event.type === "content_block_start") {
      blocks[event.index] = { ...event.content_block, input: "" };
    }
    if (event.type !== "content_block_delta") continue;
    const block = blocks[event.index]!;
    for (const [key, piece] of Object.entries(event.delta)) {
      const field = key === "partial_json" ? "input" : key;
      if (key !== "type") block[field] = `${block[field]}${piece}`;
    }
  }
  return blocks.map(({ input = "", ...block }) =>
    block["type"] === "tool_use" ? { ...block, input: JSON.parse(input) as unknown } : block,
  );
}

describe("composeMessage", () => {
  it("puts thinking before text before tool calls", () => {
    const message = compose({
      tools: [
        { name: "Bash", input: { command: "ls" } },
        { name: "Read", input: {}, id: "mine" },
      ],
      text: "Two calls.",
      thinking: "Hm.",
    });
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: expect.stringMatching(/.+/) as string },
      { type: "text", text: "Two calls." },
      {
        type: "tool_use",
        id: "toolu_rehearsal_seed1_0001",
        name: "Bash",
        input: { command: "ls" },
      },
      { type: "tool_use", id: "mine", name: "Read", input: {} },
    ]);
    expect(message).toMatchObject({ model: "claude-x", stop_reason: "tool_use" });
  });

  it("stops as specified, or else as its content implies", () => {
    expect(compose({ text: "a" }).stop_reason).toBe("end_turn");
    expect(compose({ text: "a", stop_reason: "max_tokens" }).stop_reason).toBe("max_tokens");
    expect(compose({ stop_reason: "refusal" })).toMatchObject({
      content: [],
      stop_reason: "refusal",
    });
  });

  it("estimates usage by size, or takes given figures", () => {
    const short = compose({ text: "a" }).usage;
    const long = compose({ text: "a".repeat(4000) }).usage;
    expect(long.input_tokens).toBe(short.input_tokens);
    expect(long.output_tokens - short.output_tokens).toBeCloseTo(1000, -1);
    expect(compose({ text: "a", usage: { input_tokens: 180_000 } }).usage).toEqual({
      ...short,
      input_tokens: 180_000,
    });
  });
});

describe("streamEvents", () => {
  it("streams the same message in the API's order", () => {
    const events = [
      ...streamEvents(compose({ text: "hello", tools: [{ name: "A", input: {} }] }), 3),
    ];
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]).toMatchObject({ message: { content: [], stop_reason: null } });
    expect(events[2]).toMatchObject({ content_block: { type: "text", text: "" } });
    expect(events[6]).toMatchObject({ content_block: { type: "tool_use", input: {} } });
  });

  it("never cuts a character in two", () => {
    const deltas = [...streamEvents(compose({ text: "🎉ü🎉" }), 1)]
      .filter((event) => event.type === "content_block_delta")
      .map(({ delta }) => delta);
    expect(deltas).toEqual(["🎉", "ü", "🎉"].map((text) => ({ type: "text_delta", text })));
  });

  it("can be put together again, whatever the text and the size of its pieces", () => {
    const answers = fc.record(
      {
        thinking: fc.string({ unit: "binary" }),
        text: fc.string({ unit: "binary" }),
        tools: fc.array(
          fc.record({
            name: fc.constant("Bash"),
            input: fc.dictionary(fc.string(), fc.jsonValue()),
          }),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 20 }), (answer, chars) => {
        const message = compose(AnswerSchema.parse(answer));
        const wire = JSON.parse(JSON.stringify([...streamEvents(message, chars)])) as StreamEvent[];
        expect(assemble(wire)).toEqual(JSON.parse(JSON.stringify(message.content)));
      }),
    );
  });
});
