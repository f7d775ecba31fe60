import { cutText } from "../text/cut-text.ts";
import { showHidden } from "../text/show-hidden.ts";
import type { StoredText } from "../wire/blob.ts";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import { isRecord } from "../wire/json.ts";
import type { PendingRequest, Question } from "../wire/session/approval-events.ts";
import { formFields } from "./form-fields.ts";

/** What an agent wants of a person, in plain text in which nothing is hidden. */
export interface RequestText {
  /** What follows the agent's name in a sentence, in one line. */
  readonly title: string;
  /** All that a person has to know before they decide: the whole command, the questions with their options. */
  readonly body: string;
}

const MAX_TITLE_CHARS = 120;
const MAX_BODY_CHARS = 16_384;

/** A long body is cut at `maxChars`, and says so. */
export function requestText(request: PendingRequest, maxChars = MAX_BODY_CHARS): RequestText {
  const { title, lines } = partsOf(request);
  const body = showHidden(lines.join("\n"));
  const rest = body.length - maxChars;
  return {
    title: cutText(showHidden(title).replaceAll(/\s+/g, " "), MAX_TITLE_CHARS),
    body: rest > 0 ? `${cutText(body, maxChars)}\n(${rest} more characters are not shown.)` : body,
  };
}

/** A rule of the policy decides on it, so nobody has to. */
export const isDecidedByPolicy = (request: PendingRequest): boolean =>
  request.type === "approval_request" && (request.policy?.action ?? "ask") !== "ask";

function partsOf(request: PendingRequest): { title: string; lines: string[] } {
  switch (request.type) {
    case "approval_request": {
      const { tool, input, reason, blocked_path: path, policy } = request;
      const why = [
        ...(reason === undefined ? [] : [`Why it asks: ${reason}`]),
        ...(path === undefined ? [] : [`Out of bounds: ${path}`]),
        ...(policy === undefined ? [] : [`The policy asks: ${policy.rule}`]),
      ];
      return { title: `wants to use ${tool}`, lines: [...inputLines(input), ...why] };
    }
    case "question":
      return { title: "asks a question", lines: request.questions.flatMap(questionLines) };
    case "plan":
      return { title: "has a plan and waits for leave", lines: [stored(request.plan)] };
    case "elicitation":
      return {
        title: `asks for ${request.server}, an MCP server`,
        lines: [
          request.message,
          ...(request.url === undefined ? [] : [`Page: ${request.url}`]),
          ...formFields(request.schema).map(({ title, isRequired }) =>
            isRequired ? `- ${title}` : `- ${title} (optional)`,
          ),
        ],
      };
    default:
      return { title: "waits for you", lines: [request.message] };
  }
}

const inputLines = (input: JsonObject): string[] =>
  Object.entries(input).map(([name, value]) => {
    const text = valueText(value);
    return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
  });

const valueText = (value: JsonValue): string => {
  if (typeof value === "string") return value;
  const isBlob = isRecord(value) && typeof value["blob"] === "string";
  return isBlob ? stored(value as unknown as StoredText) : JSON.stringify(value);
};

const stored = (text: StoredText): string =>
  typeof text === "string" ? text : `${text.preview}… (${text.bytes} bytes)`;

const questionLines = ({ question, options }: Question): string[] => [
  question,
  ...options.map(({ label, description }) =>
    description === undefined ? `- ${label}` : `- ${label}: ${description}`,
  ),
];
