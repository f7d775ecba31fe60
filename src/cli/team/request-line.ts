import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { formFields } from "../../client/core.ts";
import { oneLine } from "./one-line.ts";

/** What an agent waits for, in one line. */
export function requestLine(request: PendingRequest, chars: number): string {
  switch (request.type) {
    case "question":
      return oneLine(`asks: ${request.questions.map(questionText).join(" ")}`, chars);
    case "plan":
      return "has a plan and waits for leave";
    case "elicitation":
      return oneLine(`${request.server} (MCP server) asks: ${request.message}`, chars);
    case "notice":
      return oneLine(request.message, chars);
    default: {
      const main = Object.values(request.input).find((value) => typeof value === "string");
      return oneLine(`${request.tool} ${main ?? JSON.stringify(request.input)}`, chars);
    }
  }
}

/** When it is denied automatically; a notice never is. */
export const deadlineOf = (request: PendingRequest): string | undefined =>
  request.type === "notice" ? undefined : request.deadline;

/** How a person decides on it. */
export function decisionHint(request: PendingRequest): string {
  const { request_id: id } = request;
  if (request.type === "elicitation") {
    const names = formFields(request.schema).map(({ name }) => `${name}=VALUE`);
    const accept = names.length === 0 ? "accept" : names.join(" ");
    return `switchboard answer ${id} ${accept}   or: switchboard deny ${id}`;
  }
  return request.type === "question"
    ? `switchboard answer ${id} ${request.questions.map(() => "1").join(" ")}`
    : `switchboard approve ${id}   or: switchboard deny ${id} --reason "why not"`;
}

type Question = Extract<PendingRequest, { type: "question" }>["questions"][number];

function questionText({ question, options }: Question): string {
  const choices = options.map(({ label }, index) => `${index + 1} ${label}`).join(", ");
  return choices === "" ? question : `${question} (${choices})`;
}
