import { expect, it } from "vitest";
import { toPrompt } from "./to-prompt.ts";

it("leaves a single text as it is", () => {
  expect(toPrompt("hello")).toEqual({ system: undefined, content: "hello" });
});

it("joins system messages, and puts earlier messages in front, complete", () => {
  const long = "x".repeat(50_000);
  const { system, content } = toPrompt([
    { role: "system", content: "One." },
    { role: "user", content: long },
    { role: "assistant", content: "Yes?" },
    { role: "system", content: [{ type: "text", text: "Two." }] },
    { role: "user", content: "" },
    { role: "user", content: "Go on." },
  ]);
  expect(system).toBe("One.\n\nTwo.");
  const texts = (content as { text: string }[]).map(({ text }) => text);
  expect(texts.slice(1)).toEqual([
    "\nUser:",
    long,
    "\nAssistant:",
    "Yes?",
    "</earlier_conversation>",
    "Go on.",
  ]);
});

it.each([[[]], [""], [[{ role: "assistant" as const, content: "I" }]]])(
  "refuses %j, because it asks nothing",
  (messages) => {
    expect(() => toPrompt(messages)).toThrow(expect.objectContaining({ code: "invalid_params" }));
  },
);
