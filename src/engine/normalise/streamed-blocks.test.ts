import { describe, expect, it } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import type { Sample } from "../../../test/support/sdk-messages.ts";
import {
  asMessage,
  assistant,
  delta,
  init,
  messageStart,
  messageStop,
  result,
  stream,
  textBlock,
  textDelta,
  toolUse,
} from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";
import { Normaliser } from "./normaliser.ts";

/** Every event as a line; the end of a turn is none of the matters here. */
function lines(...samples: Sample[]): string[] {
  return normalised(...samples).flatMap((event) => {
    switch (event.type) {
      case "text_delta":
        return `${event.block} ${event.text}${event.parent ? ` (${event.parent})` : ""}`;
      case "thinking_delta":
        return `${event.block} thinks ${event.text}`;
      case "retracted":
        return `${"block" in event ? event.block : event.request_id} void`;
      case "tool_use":
        return `calls ${event.request_id}`;
      case "tool_input_delta":
        return `${event.request_id} ${event.tool} ${event.partial_json}`;
      case "debug":
        return `debug ${event.problem}`;
      default:
        return [];
    }
  });
}

const thinking = (text: string) => ({ type: "thinking", thinking: text });
const thinkingDelta = (text: string) => delta({ type: "thinking_delta", thinking: text });
const inputDelta = (partial_json: string) => delta({ type: "input_json_delta", partial_json }, 1);
/** A whole turn. */
const answer = (id: string, text: string) => [
  messageStart(id),
  textDelta(text),
  assistant(id, [textBlock(text)]),
  messageStop,
  result(),
];
const block = (content_block: object, index = 0) =>
  stream({ type: "content_block_start", index, content_block });

describe("an answer that is streamed", () => {
  it("is reported by its deltas, each block under its own number, and not again as complete blocks", () => {
    expect(
      lines(
        messageStart("A"),
        thinkingDelta("First "),
        thinkingDelta("this."),
        assistant("A", [thinking("First this.")]),
        textDelta("Hel"),
        textDelta("lo"),
        assistant("A", [textBlock("Hello")]),
        messageStop,
        messageStart("B"),
        textDelta("More"),
        assistant("B", [textBlock("More")]),
        messageStop,
      ),
    ).toEqual(["0 thinks First ", "0 thinks this.", "1 Hel", "1 lo", "2 More"]);
  });

  it("numbers its blocks from the beginning of each turn", () => {
    expect(lines(init(), ...answer("A", "one"), init(), ...answer("B", "two"))).toEqual([
      "0 one",
      "0 two",
    ]);
  });

  it("reports a call once, when its input is complete, and before that the pieces of the input", () => {
    expect(
      lines(
        messageStart("A"),
        block(textBlock("")),
        block(toolUse("c1", {}), 1),
        inputDelta(""),
        inputDelta('{"com'),
        inputDelta('mand":"ls"}'),
        assistant("A", [toolUse("c1")]),
        messageStop,
      ),
    ).toEqual(['c1 Bash {"com', 'c1 Bash mand":"ls"}', "calls c1"]);
  });

  it("reports no piece of an input whose call has not begun", () => {
    const call = block(toolUse("c1", {}), 1);
    expect(lines(messageStart("A"), call, messageStart("B"), inputDelta("{}"))).toEqual([]);
  });

  it("reports a call without an input as one with an empty input", () => {
    const { id, name, type } = toolUse("c1");
    const events: EngineEvent[] = [];
    new Normaliser((event) => events.push(event)).take(
      asMessage(assistant("A", [{ id, name, type }])),
    );
    expect(events).toEqual([{ type: "tool_use", request_id: "c1", tool: "Bash", input: {} }]);
  });

  it("counts the tokens of each request", () => {
    const events: EngineEvent[] = [];
    const normaliser = new Normaliser((event) => events.push(event));
    const end = stream({ type: "message_delta", delta: {}, usage: { output_tokens: 5 } });
    const cached = { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 };
    for (const sample of [messageStart("A", cached), end, messageStart("B"), end]) {
      normaliser.take(asMessage(sample));
    }
    expect(events).toEqual([
      { type: "usage", usage: { ...cached, output_tokens: 5 } },
      {
        type: "usage",
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          output_tokens: 5,
        },
      },
    ]);
  });
});

describe("an answer that is not streamed", () => {
  it("is reported with all its blocks, though they come one by one under the same id", () => {
    expect(
      lines(
        assistant("A", [thinking("Hm.")]),
        assistant("A", [textBlock("One.")]),
        assistant("A", [textBlock("Two."), toolUse("c1")]),
      ),
    ).toEqual(["0 thinks Hm.", "1 One.", "2 Two.", "calls c1"]);
  });

  it("replaces one that was cut in the middle of a block", () => {
    expect(
      lines(
        messageStart("A"),
        thinkingDelta("Hm."),
        assistant("A", [thinking("Hm.")]),
        textDelta("This will ne"),
        assistant("B", [textBlock("Whole.")]),
        assistant("B", [textBlock("And more.")]),
      ),
    ).toEqual(["0 thinks Hm.", "1 This will ne", "1 void", "2 Whole.", "3 And more."]);
  });
});

describe("a cut answer", () => {
  it.each<[string, Sample[]]>([
    ["when the next one begins", [messageStart("B")]],
    ["when it ends without the whole block", [messageStop]],
    ["when the turn ends", [result()]],
  ])("is retracted %s, once", (_when, then) => {
    const course = [messageStart("A"), textDelta("This will ne"), ...then];
    expect(lines(...course)).toEqual(["0 This will ne", "0 void"]);
    expect(lines(...course, messageStart("C"), result())).toEqual(["0 This will ne", "0 void"]);
  });

  it("retracts the call whose input was being written, and no other", () => {
    expect(
      lines(
        messageStart("A"),
        textDelta("I look."),
        assistant("A", [textBlock("I look.")]),
        block(toolUse("c1", {}), 1),
        inputDelta('{"command":"ls"}'),
        assistant("A", [toolUse("c1")]),
        block(toolUse("c2", {}), 1),
        inputDelta('{"com'),
        messageStart("B"),
        result(),
      ),
    ).toEqual(["0 I look.", 'c1 Bash {"command":"ls"}', "calls c1", 'c2 Bash {"com', "c2 void"]);
  });

  it("stays when the person cut it: a complete block confirms it", () => {
    expect(
      lines(
        messageStart("A"),
        textDelta("This will ne"),
        assistant("A", [textBlock("This will ne")], { aborted: true }),
        result({ subtype: "error_during_execution", terminal_reason: "aborted_streaming" }),
      ),
    ).toEqual(["0 This will ne"]);
  });

  it("is not confirmed by a sub-agent's block", () => {
    const from = { parent_tool_use_id: "agent" };
    expect(
      lines(
        messageStart("A"),
        textDelta("This will ne"),
        assistant("S", [textBlock("I look.")], from),
        textDelta("ver"),
        messageStart("B"),
      ),
    ).toEqual(["0 This will ne", "1 I look. (agent)", "0 ver", "0 void"]);
  });
});

describe("a sub-agent that streams", () => {
  it("is reported by its complete blocks, and leaves the answer alone", () => {
    const start = { type: "message_start", message: { id: "S", usage: {} } };
    const piece = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "I" },
    };
    expect(
      lines(
        messageStart("A"),
        textDelta("Hel"),
        stream(start, "agent"),
        stream(piece, "agent"),
        stream({ type: "message_stop" }, "agent"),
        assistant("S", [textBlock("I look.")], { parent_tool_use_id: "agent" }),
        textDelta("lo"),
        assistant("A", [textBlock("Hello")]),
        messageStop,
      ),
    ).toEqual(["0 Hel", "1 I look. (agent)", "0 lo"]);
  });
});
