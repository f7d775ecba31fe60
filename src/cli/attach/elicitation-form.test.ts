import { expect, test, vi } from "vitest";
import type { Elicitation } from "../../wire/session/elicitation.ts";
import { elicitationRows, ElicitationForm, replyIn } from "./elicitation-form.ts";
import { noPaint } from "./terminal-formats.ts";
import { RequestPrompt } from "./request-prompt.ts";

const form: Elicitation = {
  type: "elicitation",
  seq: 1,
  at: "2026-11-18T10:00:00.000Z",
  request_id: "elicit_1",
  server: "shop",
  message: "Where shall I deploy?",
  mode: "form",
  schema: {
    type: "object",
    properties: {
      target: { type: "string", title: "Target", enum: ["staging", "production"] },
      copies: { type: "integer", default: 2 },
    },
    required: ["target"],
  },
};
const { schema: _schema, ...asked } = form;
const page: Elicitation = { ...asked, mode: "url", url: "https://shop.example/\u001B[31mx" };

const text = (value: string) => ({ name: "text", text: value, isPaste: false }) as const;

function promptFor(request: Elicitation): RequestPrompt {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const prompt = new RequestPrompt(request, false);
  clock.mockReturnValue(1_000);
  return prompt;
}

test("a form is filled in field after field, with its choices and its defaults", () => {
  const prompt = promptFor(form);
  expect(prompt.rows(noPaint, 80)).toEqual([
    "shop asks: Where shall I deploy?",
    "y fill in the form · n decline · c cancel · Tab write a message instead",
  ]);
  expect(prompt.press(text("y"))).toBe("used");
  expect(prompt.takesLine).toBe(true);
  expect(prompt.rows(noPaint, 80)).toEqual([
    "shop asks: Where shall I deploy?",
    "Target (1 of 2)",
    "  1  staging",
    "  2  production",
    "A number of the list",
    "Esc: back",
  ]);
  expect(() => prompt.enter("moon")).toThrow("Target is one of: staging, production.");
  expect(prompt.enter("2")).toBeUndefined();
  expect(prompt.rows(noPaint, 80)).toContain("A whole number; Enter: 2");
  const content = { target: "production", copies: 2 };
  expect(prompt.enter("")).toEqual({ type: "respond", action: "accept", content });
  // If the session refuses it, what was written is the default of the next try.
  expect(prompt.rows(noPaint, 80)).toContain("A number of the list; Enter: production");
});

test("a person steps back from a form, and declines or cancels it with one key", () => {
  const prompt = promptFor(form);
  prompt.press(text("y"));
  expect([prompt.stepBack(), prompt.takesLine]).toEqual([true, false]);
  expect(prompt.press(text("n"))).toEqual({ type: "deny", options: {} });
  expect(prompt.press(text("c"))).toEqual({ type: "respond", action: "cancel" });
});

test("a form without fields is accepted with one key", () => {
  const prompt = promptFor({ ...form, schema: {} });
  const accept = { type: "respond", action: "accept", content: {} };
  expect(prompt.press(text("y"))).toEqual(accept);
  expect(new ElicitationForm({ ...form, schema: {} }).answer("")).toEqual(accept);
});

test("[SES-82] the address of a page is shown whole, with a warning and without its control characters", () => {
  expect(elicitationRows(page, noPaint)).toEqual([
    "? shop (MCP server) asks: Where shall I deploy?",
    expect.stringMatching(/^ {2}https:\/\/shop\.example\/[ -~]*x$/),
    expect.stringContaining("only if you trust the server"),
  ]);
  expect(promptFor(page).press(text("y"))).toEqual({ type: "respond", action: "accept" });
});

test("replyIn reads a reply that is written at once", () => {
  const content = { target: "staging", copies: 2 };
  const accepted = { type: "respond", action: "accept", content };
  expect(replyIn(["target=1"], form)).toEqual(accepted);
  expect(replyIn(["copies=3", " target=staging"], form)).toMatchObject({ content: { copies: 3 } });
  expect(replyIn(['{"target":"x"}'], form)).toMatchObject({ content: { target: "x" } });
  expect(replyIn(["decline"], form)).toEqual({ type: "respond", action: "decline" });
  expect(replyIn(["accept"], page)).toEqual({ type: "respond", action: "accept" });
});

test.each([
  [form, ["accept"], "Target is needed."],
  [form, ["colour=red"], "The form has no field for: colour=red"],
  [form, ["{"], "The content is not a JSON object."],
  [page, ["a=b"], "This request is about a page, not a form."],
])("replyIn refuses what does not fit", (request, parts, message) => {
  expect(() => replyIn(parts, request)).toThrow(
    expect.objectContaining({ code: "invalid_params", message }),
  );
});
