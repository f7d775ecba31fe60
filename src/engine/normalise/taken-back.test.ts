import { describe, expect, it } from "vitest";
import type { Sample } from "../../../test/support/sdk-messages.ts";
import {
  asMessage,
  assistant,
  init,
  messageStart,
  messageStop,
  result,
  sampleOf,
  stream,
  textBlock,
  textDelta,
  toolUse,
} from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";
import { Normaliser } from "./normaliser.ts";

function told(...samples: Sample[]): EngineEvent[] {
  const events: EngineEvent[] = [];
  const normaliser = new Normaliser((event) => events.push(event));
  for (const sample of samples) normaliser.take(asMessage(sample));
  return events;
}

const retracted = (events: EngineEvent[]): object[] =>
  events.filter((event) => event.type === "retracted").map(({ type: _type, ...named }) => named);

/** A message under its own uuid. */
const message = (uuid: string, content: unknown, fields: object = {}): Sample => ({
  ...assistant("A", content, fields),
  uuid,
});
/** One text that was streamed, and one call. */
const answer = [
  messageStart("A"),
  textDelta("Let me "),
  textDelta("look."),
  message("u1", [textBlock("Let me look.")]),
  message("u2", [toolUse("c1")]),
  messageStop,
];
const fallback = (...retracted_message_uuids: string[]): Sample => ({
  ...sampleOf("system/model_refusal_fallback"),
  retracted_message_uuids,
});

describe("messages that the CLI retracts", () => {
  it("are void when another model answers instead", () => {
    expect(retracted(told(init(), ...answer, fallback("u1", "u2", "unknown")))).toEqual([
      { block: 0 },
      { request_id: "c1" },
    ]);
  });

  it("are void when another message replaces them, which stays", () => {
    const next = [
      messageStart("B"),
      textDelta("No."),
      { ...assistant("B", [textBlock("No.")], { supersedes: ["u1"] }), uuid: "u3" },
      messageStop,
    ];
    const events = told(init(), ...answer, ...next);
    expect(retracted(events)).toEqual([{ block: 0 }]);
    expect(events).toContainEqual({ type: "text_delta", block: 1, text: "No." });
  });

  it("are retracted once, and not after their turn", () => {
    const twice = told(init(), ...answer, fallback("u1"), fallback("u1"));
    expect(retracted(twice)).toHaveLength(1);
    expect(retracted(told(init(), ...answer, result(), fallback("u1", "u2")))).toEqual([]);
  });

  it("include blocks that were reported whole; a sub-agent's stay", () => {
    const own = message("u1", [textBlock("one"), { type: "thinking", thinking: "two" }]);
    const other = message("u2", [textBlock("three")], { parent_tool_use_id: "agent" });
    expect(retracted(told(init(), own, other, fallback("u1", "u2")))).toEqual([
      { block: 0 },
      { block: 1 },
    ]);
  });
});

describe("parts of a stream that are outside of the SDK's types", () => {
  it("are debug events if unknown; a ping is not reported", () => {
    const part = stream({ type: "brand_new", thing: 1 });
    expect(told(part, stream({ type: "ping" }))).toEqual([
      {
        type: "debug",
        sdk_type: "stream_event/brand_new",
        message: { type: "stream_event", subtype: "brand_new", thing: 1 },
      },
    ]);
  });

  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "Overloaded"],
    [undefined, "It gave no reason."],
  ])("are a notice if they are an error: %j", (error, words) => {
    expect(told(stream({ type: "error", error }))).toEqual([
      {
        type: "notice",
        code: "cli_message",
        level: "warning",
        message: `The model's API aborted the answer: ${words}`,
      },
    ]);
  });
});
