import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { Paint } from "../attach/terminal-formats.ts";
import { diffRows } from "../attach/tool-call-lines.ts";
import { formFields } from "../../client/core.ts";
import type { Elicitation } from "../../wire/session/elicitation.ts";
import { elicitationRows, fieldRows } from "../attach/elicitation-form.ts";
import { oneLine } from "./one-line.ts";

/**
 * What a person should know before they decide on a call, below its line: the rule that asks, and the first lines of
 * what the call would write.
 */
export function detailRows(request: PendingRequest, paint: Paint): string[] {
  if (request.type === "elicitation") return formRows(request, paint).map((row) => `    ${row}`);
  if (request.type !== "approval_request") return [];
  const { tool, input, policy } = request;
  const rule =
    policy === undefined ? [] : [paint("dim", `the policy asks: ${oneLine(policy.rule)}`)];
  return [...rule, ...diffRows(tool, input, paint)].map((row) => `    ${row}`);
}

/** The address of a page, and the fields of a form with their names, which the answer needs. */
const formRows = (request: Elicitation, paint: Paint): string[] => [
  ...(request.url === undefined ? [] : elicitationRows(request, paint).slice(-2)),
  ...formFields(request.schema).flatMap((field) => fieldRows(field, paint, ` (${field.name})`)),
];
