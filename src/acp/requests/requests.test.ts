import { expect, test } from "vitest";
import type { PendingRequest } from "../../client/index.ts";
import { elicitationAnswer, requestedSchema } from "./elicitation-form.ts";
import type { ButtonRequest } from "./permission-options.ts";
import { permissionAnswer, permissionQuestion } from "./permission-options.ts";
import { questionAnswer, questionForm } from "./question-form.ts";

const event = { seq: 1, at: "2026-11-18T12:00:00.000Z", turn_id: "t1" };

const approval: ButtonRequest = {
  ...event,
  type: "approval_request",
  request_id: "c1",
  tool: "Bash",
  input: { command: "ls" },
  reason: "It is new.",
  scopes: [
    { scope: "once", label: "Allow once" },
    { scope: "session", label: "Allow ls" },
    { scope: "always", label: "Always allow ls" },
  ],
};
const plan: ButtonRequest = { ...event, type: "plan", request_id: "c2", plan: "1. look" };
const notice: ButtonRequest = {
  ...event,
  type: "notice",
  code: "foreign_writer",
  message: "Another program wrote.",
  request_id: "n1",
};

const shown = (request: ButtonRequest) =>
  permissionQuestion(request, "/work", ["default", "acceptEdits", "plan"]);

test.each([
  [
    approval,
    ["once allow_once", "session allow_always", "always allow_always", "deny reject_once"],
  ],
  [
    { ...approval, default_to_no: true },
    ["deny reject_once", "once allow_once", "session allow_always", "always allow_always"],
  ],
  [plan, ["acceptEdits allow_always", "default allow_once", "deny reject_once"]],
  [notice, ["go_on allow_once", "deny reject_once"]],
])("`permissionQuestion` %# offers %j", (request, options) => {
  expect(shown(request).options.map(({ optionId, kind }) => `${optionId} ${kind}`)).toEqual(
    options,
  );
});

test("`permissionQuestion` shows what is asked", () => {
  expect(shown(approval).toolCall).toMatchObject({
    toolCallId: "c1",
    title: "ls",
    kind: "execute",
    content: [{ content: { text: "It is new." } }],
  });
  expect(shown(plan).toolCall).toMatchObject({ content: [{ content: { text: "1. look" } }] });
});

const chosen = (optionId: string) => ({ outcome: "selected", optionId }) as const;
const closed = { outcome: "cancelled" } as const;

test.each([
  [approval, chosen("once"), { type: "approve", scope: "once" }],
  [approval, chosen("always"), { type: "approve", scope: "always" }],
  [approval, chosen("deny"), { type: "deny" }],
  [approval, closed, { type: "deny", interrupt: true }],
  [approval, chosen("nonsense"), { type: "deny", reason: expect.any(String) as string }],
  [plan, chosen("acceptEdits"), { type: "approve", mode: "acceptEdits" }],
  [plan, chosen("dontAsk"), { type: "deny", reason: expect.any(String) as string }],
  [notice, chosen("go_on"), { type: "approve" }],
  [notice, closed, { type: "leave" }],
])("`permissionAnswer` %# of %j is %j", (request, outcome, answer) => {
  expect(permissionAnswer(request, outcome)).toEqual(answer);
});

const question: Extract<PendingRequest, { type: "question" }> = {
  ...event,
  type: "question",
  request_id: "c3",
  questions: [
    { question: "Which?", header: "One", options: [{ label: "A" }, { label: "B" }], multi: false },
    { question: "What else?", options: [{ label: "C" }, { label: "D" }], multi: true },
  ],
};

test("`questionForm` has a field for each question and one for words of the person's own", () => {
  const { message, requestedSchema: schema } = questionForm(question);
  expect(message).toBe("Which?\nWhat else?");
  expect(Object.keys(schema.properties ?? {})).toEqual([
    "question_1",
    "question_1_own_words",
    "question_2",
    "question_2_own_words",
  ]);
  expect(schema.properties).toMatchObject({
    question_1: { type: "string", oneOf: [{ const: "A" }, { const: "B" }] },
    question_2: { type: "array", items: { anyOf: [{ const: "C" }, { const: "D" }] } },
  });
});

test.each([
  [
    { question_1: "A", question_2: ["C", "D"] },
    { "Which?": "A", "What else?": ["C", "D"] },
  ],
  [{ question_1: "A", question_1_own_words: "Neither" }, { "Which?": "Neither" }],
])("`questionAnswer` reads %j as %j", (content, answers) => {
  expect(questionAnswer(question, { action: "accept", content })).toEqual({
    type: "answer",
    answers,
  });
});

test("`questionAnswer` is a refusal without an answer", () => {
  expect(questionAnswer(question, { action: "accept", content: {} })).toMatchObject({
    type: "deny",
  });
  expect(questionAnswer(question, { action: "cancel" })).toEqual({ type: "deny" });
});

test("`requestedSchema` has the fields of a server's form in the words of ACP", () => {
  const schema = requestedSchema({
    type: "object",
    properties: {
      target: { type: "string", title: "Target", enum: ["a", "b"], enumNames: ["A!", "B!"] },
      copies: { type: "integer", minimum: 1, maximum: 9, default: 2 },
      hurry: { type: "boolean", description: "Skip tests." },
      mail: { type: "string", format: "email", minLength: 3 },
      many: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1 },
      odd: { type: "string", format: "ipv6" },
    },
    required: ["target"],
  });
  expect(schema).toEqual({
    type: "object",
    properties: {
      target: {
        type: "string",
        title: "Target",
        oneOf: [
          { const: "a", title: "A!" },
          { const: "b", title: "B!" },
        ],
      },
      copies: { type: "integer", title: "copies", minimum: 1, maximum: 9, default: 2 },
      hurry: { type: "boolean", title: "hurry", description: "Skip tests." },
      mail: { type: "string", title: "mail", format: "email", minLength: 3 },
      many: {
        type: "array",
        title: "many",
        minItems: 1,
        items: {
          anyOf: [
            { const: "x", title: "x" },
            { const: "y", title: "y" },
          ],
        },
      },
      odd: { type: "string", title: "odd" },
    },
    required: ["target"],
  });
});

const form: Extract<PendingRequest, { type: "elicitation" }> = {
  ...event,
  type: "elicitation",
  request_id: "e1",
  server: "shop",
  message: "Where?",
  mode: "form",
};

test.each([
  [
    form,
    { action: "accept", content: { a: 1 } } as const,
    { type: "respond", action: "accept", content: { a: 1 } },
  ],
  [
    { ...form, mode: "url" } as const,
    { action: "accept" } as const,
    { type: "respond", action: "accept" },
  ],
  [form, { action: "decline" } as const, { type: "respond", action: "decline" }],
  [form, { action: "cancel" } as const, { type: "respond", action: "cancel" }],
  [form, { action: "_later" } as const, { type: "respond", action: "cancel" }],
])("`elicitationAnswer` %# of %j is %j", (request, response, answer) => {
  expect(elicitationAnswer(request, response)).toEqual(answer);
});
