import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import type { Sample } from "../../../test/support/sdk-messages.ts";
import {
  asMessage,
  assistant,
  delta,
  everyKind,
  init,
  lifecycle,
  messageStart,
  result,
  sampleOf,
  textBlock,
  user,
} from "../../../test/support/sdk-messages.ts";
import { isRecord } from "../../wire/json.ts";
import { countOf, knownWord, textOf, textsOf } from "./read-leniently.ts";
import { Normaliser } from "./normaliser.ts";

describe("lenient readers", () => {
  it("return a harmless default for any other type", () => {
    expect([0, 1.5, 7].map(countOf)).toEqual([0, 1.5, 7]);
    expect([-1, Number.NaN, null, undefined, "3"].map(countOf)).toEqual([0, 0, 0, 0, 0]);
    expect(["a", null, undefined, 3].map(textOf)).toEqual(["a", "", "", ""]);
    expect([["a", 1, null, "b"], "ab", null].map(textsOf)).toEqual([["a", "b"], [], []]);
  });

  it("refuse a word that is not in the list", () => {
    expect(knownWord(["idle", "running"], "idle")).toBe("idle");
    expect(() => knownWord(["idle"], "dreaming")).toThrow('unknown word: "dreaming"');
    expect(() => knownWord(["idle"], undefined)).toThrow("unknown word: undefined");
  });
});

const junk = fc.constantFrom<unknown>(undefined, null, 0, -1, "", "constructor", [], {}, [null]);
const inner = fc.constantFrom("content", "usage", "id", "type", "message", "delta");

/** A sample with some fields changed, in itself and in the objects that it holds. */
const damaged = (base: Sample) => {
  const outer = fc.constantFrom(...Object.keys(base).filter((key) => key !== "type"));
  return fc
    .tuple(fc.dictionary(outer, junk), fc.dictionary(inner, junk))
    .map(([above, below]): Sample => {
      const fields = Object.entries(base).map(([key, value]) => [
        key,
        isRecord(value) ? { ...value, ...below } : value,
      ]);
      return { type: base.type, ...Object.fromEntries(fields), ...above };
    });
};
const damagedKind = fc.constantFrom(...everyKind).chain(damaged);

/** The same with some fields gone. */
const without = (base: Sample) =>
  fc
    .subarray(Object.keys(base).filter((key) => key !== "type" && key !== "subtype"))
    .chain((keys) =>
      fc
        .constantFrom<unknown>(undefined, null)
        .map((gone) => ({ ...base, ...Object.fromEntries(keys.map((key) => [key, gone])) })),
    );

describe("messages that are not as the types say", () => {
  it.each<[string, unknown]>([
    ["no message", { type: "assistant" }],
    ["null content of the assistant", assistant("A", null)],
    ["null content of the user", user(null)],
    ["a null block", assistant("A", [null])],
    ["a stream event without its event", { type: "stream_event" }],
    ["an unknown state", { type: "system", subtype: "session_state_changed", state: "dreaming" }],
    ["an unknown stage of a message", lifecycle("lost")],
    ["an unknown end of a task", { ...sampleOf("system/task_notification"), status: "vanished" }],
    ["an unknown end of a hook", { ...sampleOf("system/hook_response"), outcome: "vanished" }],
    ["a time that is none", { type: "rate_limit_event", rate_limit_info: { resetsAt: 1e300 } }],
    ["no rate limit", { type: "rate_limit_event" }],
    ["nothing at all", null],
  ])("%s: a debug event with the problem", (_name, message) => {
    const events = normalised(message);
    expect(events).toEqual([expect.objectContaining({ type: "debug", message })]);
    expect(events[0]).toHaveProperty("problem");
  });

  it("reads a null error as none", () => {
    expect(normalised(assistant("A", [textBlock("Hello")], { error: null }))).toEqual([
      { type: "text_delta", block: 0, text: "Hello" },
    ]);
  });

  it("reads an init with missing fields as one that changes nothing", () => {
    const bare = { type: "system", subtype: "init" };
    expect(normalised(init(), bare, init()).map(({ type }) => type)).toEqual([
      "ready",
      "turn_started",
      "turn_started",
      "turn_started",
    ]);
  });

  it("goes on with the next message", () => {
    expect(normalised(assistant("A", null), assistant("A", [textBlock("Hello")])).at(-1)).toEqual({
      type: "text_delta",
      block: 0,
      text: "Hello",
    });
  });

  it("reports blocks and deltas of an unknown kind, and goes on with the known ones", () => {
    const novel = { type: "brand_new", thing: 1 };
    expect(normalised(assistant("A1", [novel, textBlock("Hello")]))).toEqual([
      {
        type: "debug",
        sdk_type: "assistant/brand_new",
        message: { type: "assistant", subtype: "brand_new", block: novel },
      },
      { type: "text_delta", block: 0, text: "Hello" },
    ]);
    expect(normalised(messageStart("A1"), delta(novel))).toEqual([
      {
        type: "debug",
        sdk_type: "stream_event/brand_new",
        message: { type: "stream_event", subtype: "brand_new", delta: novel },
      },
    ]);
    // Known, and with nothing to tell.
    const quiet = [
      assistant("A1", [{ type: "redacted_thinking", data: "x" }]),
      messageStart("A2"),
      delta({ type: "signature_delta", signature: "x" }),
      delta({ type: "citations_delta", citation: {} }),
    ];
    expect(normalised(...quiet)).toEqual([]);
  });

  it("never throws, whatever is damaged in any order", () => {
    fc.assert(
      fc.property(fc.array(damagedKind, { maxLength: 8 }), (samples) => {
        expect(() => normalised(...samples)).not.toThrow();
      }),
    );
  });

  it("reports the beginning and the end of a turn, whatever fields are missing", () => {
    const end = fc
      .constantFrom(result(), sampleOf("result/error_during_execution"), result({ is_error: true }))
      .chain(without);
    fc.assert(
      fc.property(without(init()), end, (begins, ends) => {
        const events = normalised(begins, ends);
        expect(events.filter(({ type }) => type === "debug")).toEqual([]);
        expect(events.filter(({ type }) => type === "turn_started")).toHaveLength(1);
        const last = events.at(-1);
        expect(last).toMatchObject({ type: "turn_ended", messages: expect.any(Array) });
        expect(JSON.parse(JSON.stringify(last))).toEqual(last);
      }),
    );
  });

  it("does not catch the error of a listener", () => {
    const normaliser = new Normaliser(() => {
      throw new Error("the log is full");
    });
    expect(() => normaliser.take(asMessage(init()))).toThrow("the log is full");
  });
});
