import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { digestOfAnswer, digestsOf } from "./message-digests.ts";

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;

const markOf = (message: LanguageModelV4Message, ours: string[] = []): string =>
  digestsOf([message], (id) => ours.includes(id))[0]!;
const assistant = (...content: Assistant["content"]): Assistant => ({ role: "assistant", content });
const user = (text: string): LanguageModelV4Message => ({
  role: "user",
  content: [{ type: "text", text }],
});
const call = { type: "tool-call", toolCallId: "toolu_1", toolName: "ask", input: {} } as const;

test("an answer has the predicted digest, whatever the AI SDK adds to it", () => {
  const foretold = digestOfAnswer("Let me look.\n", [{ id: "toolu_1", name: "ask" }]);
  const text = { type: "text", text: "Let me look." } as const;
  expect(markOf(assistant(text, call), ["toolu_1"])).toBe(foretold);
  expect(
    markOf(
      assistant(
        { type: "reasoning", text: "Hm." },
        { ...text, providerOptions: { x: { y: 1 } } },
        { ...call, toolCallId: "toolu_0", toolName: "Bash", providerExecuted: true },
        { ...call, input: { added: "by a default" } },
      ),
      ["toolu_1"],
    ),
  ).toBe(foretold);
});

test.each([
  ["a word of the user", user("Berlin"), user("Bonn")],
  ["the role", user("Go."), { role: "system", content: "Go." } as const],
  [
    "a word of the answer",
    assistant({ type: "text", text: "a" }),
    assistant({ type: "text", text: "b" }),
  ],
  ["a call's id", assistant(call), assistant({ ...call, toolCallId: "toolu_2" })],
  ["a call's tool", assistant(call), assistant({ ...call, toolName: "tell" })],
  [
    "the input of a call that others made",
    assistant({ ...call, input: { a: 1 } }),
    assistant({ ...call, input: { a: 2 } }),
  ],
])("%s changes the digest", (_name, one, other) => {
  expect(markOf(one)).not.toBe(markOf(other));
});

test("the order of keys does not change the digest", () => {
  const [one, other] = [
    { a: 1, b: { c: 2, d: 3 } },
    { b: { d: 3, c: 2 }, a: 1 },
  ];
  expect(markOf(assistant({ ...call, input: one }))).toBe(
    markOf(assistant({ ...call, input: other })),
  );
});

const file = (data: Uint8Array): LanguageModelV4Message => ({
  role: "user",
  content: [{ type: "file", mediaType: "image/png", data: { type: "data", data } }],
});

test("a file's digest depends on its bytes, in any form", () => {
  expect(markOf(file(Buffer.from([1, 2])))).toBe(markOf(file(new Uint8Array([1, 2]))));
  expect(markOf(file(new Uint8Array([1, 2])))).not.toBe(markOf(file(new Uint8Array([1, 3]))));
});
