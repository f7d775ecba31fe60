import type { PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { Question } from "../../../wire/session/approval-events.ts";
import type { FileChange } from "../../../wire/session/file-change.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { PolicyVerdict } from "../../../policy/judge-call.ts";
import { scopesOf } from "./scopes-of-request.ts";

/** What every request to a person carries. */
export interface Asked {
  request_id: string;
  parent?: string;
  deadline?: string;
  remaining_ms?: number;
  again?: boolean;
  replaces?: string;
}

export type RequestKind = "approval_request" | "question" | "plan";

/** A question that cannot be parsed is asked like any other tool call. */
export function kindOf({ tool, input }: Pick<PermissionRequest, "tool" | "input">): RequestKind {
  if (tool === "AskUserQuestion" && questionsOf(input["questions"]).length > 0) return "question";
  return tool === "ExitPlanMode" ? "plan" : "approval_request";
}

/** The request in the form that people see. */
export function requestDraft(
  request: PermissionRequest,
  asked: Asked,
  {
    verdict,
    changes,
    call,
  }: {
    verdict?: PolicyVerdict | undefined;
    changes?: FileChange[] | undefined;
    /** What the model called the tool with; the CLI may ask with something else. */
    call?: JsonObject | undefined;
  } = {},
): EventDraft {
  const { tool, input, title, description, reason, blocked_path, default_to_no } = request;
  switch (kindOf(request)) {
    case "question":
      return { type: "question", ...asked, questions: questionsOf(input["questions"]) };
    case "plan":
      // The CLI asks with the plan of its own file. Where the model has written none, its call may hold the plan.
      return { type: "plan", ...asked, plan: planOf(input) || planOf(call) };
    default:
      return {
        type: "approval_request",
        ...asked,
        tool,
        input,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(reason !== undefined && { reason }),
        ...(blocked_path !== undefined && { blocked_path }),
        ...(changes && { changes }),
        scopes: scopesOf(request),
        ...(default_to_no === true && { default_to_no }),
        ...(verdict && { policy: { action: verdict.action, rule: verdict.rule } }),
      };
  }
}

const planOf = (input: JsonObject | undefined): string =>
  typeof input?.["plan"] === "string" ? input["plan"] : "";

export function questionsOf(value: unknown): Question[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[])
    .filter(isRecord)
    .flatMap(({ question, header, options, multiSelect }) => {
      if (typeof question !== "string" || question === "") return [];
      return {
        question,
        ...(typeof header === "string" && { header }),
        options: (Array.isArray(options) ? options : []).filter(isRecord).flatMap(optionOf),
        multi: multiSelect === true,
      };
    });
}

function optionOf({ label, description, preview }: Record<string, unknown>): Question["options"] {
  if (typeof label !== "string" || label === "") return [];
  return [
    {
      label,
      ...(typeof description === "string" && { description }),
      ...(typeof preview === "string" && { preview }),
    },
  ];
}
