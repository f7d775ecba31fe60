import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from "@agentclientprotocol/sdk";
import type { PendingRequest, Question } from "../../client/index.ts";
import type { EditorAnswer } from "./editor-answer.ts";

type QuestionRequest = Extract<PendingRequest, { type: "question" }>;

const keyOf = (index: number): string => `question_${index + 1}`;
const ownKeyOf = (index: number): string => `${keyOf(index)}_own_words`;

/** The model reads it. */
export const cannotAsk =
  "The person's editor cannot show questions of this tool. Ask in your answer, in plain words and with the choices, and end your turn: the person will reply.";

function choice(question: Question): ElicitationPropertySchema {
  const { question: title, header, options, multi } = question;
  const named = { title: header ?? title, description: title };
  if (options.length === 0) return { type: "string", ...named };
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  return multi
    ? { type: "array", ...named, items: { anyOf: choices } }
    : { type: "string", ...named, oneOf: choices };
}

/** A field for each question, and one for words of the person's own. Nothing is required: one of the two is enough. */
export function questionForm({ questions }: QuestionRequest): {
  message: string;
  requestedSchema: ElicitationSchema;
} {
  const fields = questions.flatMap((question, index): [string, ElicitationPropertySchema][] => {
    const own: ElicitationPropertySchema = { type: "string", title: "Or in your own words" };
    return question.options.length === 0
      ? [[keyOf(index), choice(question)]]
      : [
          [keyOf(index), choice(question)],
          [ownKeyOf(index), own],
        ];
  });
  return {
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: { type: "object", properties: Object.fromEntries(fields) },
  };
}

const isFilled = (value: unknown): value is string | string[] =>
  (typeof value === "string" && value.trim() !== "") || (Array.isArray(value) && value.length > 0);

/** What the filled form means for the session. A form without any answer is a refusal. */
export function questionAnswer(
  { questions }: QuestionRequest,
  response: CreateElicitationResponse,
): EditorAnswer {
  if (response.action !== "accept") return { type: "deny" };
  const content = (response["content"] ?? {}) as Readonly<Record<string, unknown>>;
  const answers = questions.flatMap(({ question }, index): [string, string | string[]][] => {
    const [own, chosen] = [content[ownKeyOf(index)], content[keyOf(index)]];
    const answer = isFilled(own) ? own : chosen;
    return isFilled(answer) ? [[question, answer]] : [];
  });
  if (answers.length === 0) return { type: "deny", reason: "The person left the form empty." };
  return { type: "answer", answers: Object.fromEntries(answers) };
}
