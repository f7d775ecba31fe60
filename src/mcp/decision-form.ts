import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { requestText } from "../client/core.ts";
import type { PendingRequest, Question } from "../wire/session/approval-events.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";

type FormSchema = ElicitRequestFormParams["requestedSchema"];
type Field = FormSchema["properties"][string];

/** What a person chooses about a call or a plan. */
export const choices = { once: "once", session: "session", deny: "deny" } as const;

/** The names of the fields of a question, by its place. */
export const fieldOfQuestion = (index: number): string => `question_${index + 1}`;
export const ownWordsOfQuestion = (index: number): string => `own_words_${index + 1}`;

/** The form in which a person decides on what an agent wants: all of it stands in the message. */
export function decisionForm(
  team: string,
  { agent, request }: TeamApproval,
): ElicitRequestFormParams {
  const { title, body } = requestText(request);
  return {
    mode: "form",
    message: `${agent}, an agent of the team ${team}, ${title}:\n\n${body}`,
    requestedSchema: schemaFor(request),
  };
}

function schemaFor(request: PendingRequest): FormSchema {
  switch (request.type) {
    case "question":
      return questionsSchema(request.questions);
    case "elicitation":
      // A form of MCP already. A page has no fields: the person agrees or not.
      return request.mode === "form" && request.schema
        ? (request.schema as unknown as FormSchema)
        : { type: "object", properties: {} };
    default:
      return verdictSchema(request);
  }
}

function verdictSchema(request: PendingRequest): FormSchema {
  const scope =
    request.type === "approval_request"
      ? request.scopes.find((each) => each.scope === "session")
      : undefined;
  const options = [
    { const: choices.once, title: request.type === "approval_request" ? "Allow once" : "Go on" },
    ...(scope === undefined
      ? []
      : [{ const: choices.session, title: `Allow for the session: ${scope.label}` }]),
    { const: choices.deny, title: "Deny" },
  ];
  return {
    type: "object",
    properties: {
      decision: { type: "string", title: "Decision", oneOf: options },
      reason: {
        type: "string",
        title: "Reason for a denial",
        description: "The agent reads it. It may stay empty.",
      },
    },
    required: ["decision"],
  };
}

function questionsSchema(questions: readonly Question[]): FormSchema {
  const properties = questions.flatMap((question, index): [string, Field][] => [
    ...optionsField(question, fieldOfQuestion(index)),
    [
      ownWordsOfQuestion(index),
      {
        type: "string",
        title: question.options.length === 0 ? question.question : "Your own words instead",
      },
    ],
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

function optionsField(question: Question, name: string): [string, Field][] {
  const { question: title, options, multi } = question;
  if (options.length === 0) return [];
  const named = options.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  return multi
    ? [[name, { type: "array", title, items: { anyOf: named } }]]
    : [[name, { type: "string", title, oneOf: named }]];
}
