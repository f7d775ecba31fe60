import type { PermissionDecision, PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { ClaudeCodeError } from "../../../wire/errors.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { SessionCommandOf } from "../../../wire/session/commands.ts";
import type { SessionEventOf } from "../../../wire/session/events.ts";
import type { Answers } from "../../../wire/session/terms.ts";
import type { Question } from "../../../wire/session/approval-events.ts";
import type { RequestKind } from "./requests.ts";
import { kindOf, questionsOf } from "./requests.ts";
import { scopesOf, updatesOf } from "./scopes.ts";

export type RequestAnswer = SessionCommandOf<"approve" | "deny" | "answer">;

/** A person's answer in the CLI's form, and what the log records of it. */
export interface RecordedDecision {
  decision: PermissionDecision;
  resolution: Omit<SessionEventOf<"approval_resolved">, "seq" | "at" | "type" | "request_id">;
}

/** @throws `invalid_params` when the answer does not fit what was asked. */
export function decisionOf(answer: RequestAnswer, request: PermissionRequest): RecordedDecision {
  const kind = kindOf(request);
  switch (answer.type) {
    case "deny": {
      const { reason, interrupt } = answer;
      return {
        decision: { allow: false, message: reason, interrupt },
        resolution: { outcome: "denied", reason },
      };
    }
    case "answer": {
      if (kind !== "question") throw misfit(answer, kind);
      const { answers } = answer;
      checkAnswers(answers, questionsOf(request.input["questions"]));
      const updated_input = { ...request.input, answers: answerTexts(answers) };
      return {
        decision: { allow: true, updated_input },
        resolution: { outcome: "allowed", answers },
      };
    }
    default:
      if (kind === "question") throw misfit(answer, kind);
      return kind === "plan" ? planDecision(answer, request) : toolDecision(answer, request);
  }
}

function toolDecision(
  { scope, updated_input, mode, plan }: SessionCommandOf<"approve">,
  request: PermissionRequest,
): RecordedDecision {
  if (mode !== undefined || plan !== undefined) {
    throw errorOf("invalid_params", "mode and plan are only for the approval of a plan.");
  }
  const updates = updatesOf(request, scope);
  if (!updates) {
    const offered = scopesOf(request).map((option) => option.scope);
    throw errorOf("invalid_params", `This request does not offer scope ${scope}.`, {
      hint: `Use one of: ${offered.join(", ")}.`,
      data: { scopes: offered },
    });
  }
  return {
    decision: {
      allow: true,
      ...(updated_input && { updated_input }),
      ...(updates.length > 0 && { updated_permissions: updates }),
    },
    resolution: {
      outcome: "allowed",
      scope,
      ...(updates.length > 0 && {
        granted: updates.map((update) => ({ ...update })),
      }),
      ...(updated_input && { updated_input }),
    },
  };
}

function planDecision(
  { mode, plan, updated_input }: SessionCommandOf<"approve">,
  { input }: PermissionRequest,
): RecordedDecision {
  return {
    decision: {
      allow: true,
      updated_input: { ...input, ...updated_input, ...(plan !== undefined && { plan }) },
      ...(mode !== undefined && {
        updated_permissions: [{ type: "setMode", mode, destination: "session" }],
      }),
    },
    resolution: {
      outcome: "allowed",
      ...(mode !== undefined && { mode }),
      ...(plan !== undefined && { plan }),
    },
  };
}

/** The CLI ignores an answer that it does not know: the question would be used up and the model would get nothing. */
function checkAnswers(answers: Answers, questions: readonly Question[]): void {
  for (const [asked, given] of Object.entries(answers)) {
    const question = questions.find((each) => each.question === asked);
    if (!question) {
      throw errorOf("invalid_params", `This request has no question: ${asked}`, {
        hint: `Use the exact text of a question: ${questions.map((each) => each.question).join(" ")}`,
      });
    }
    if (Array.isArray(given) && given.length > 1 && !question.multi) {
      throw errorOf("invalid_params", `This question takes one answer: ${asked}`, {
        hint: "Pass one label, or a text of your own.",
      });
    }
  }
}

/** The CLI takes one text per question; several labels are joined with commas. */
const answerTexts = (answers: Answers): JsonObject =>
  Object.fromEntries(
    Object.entries(answers).map(([question, given]) => [
      question,
      Array.isArray(given) ? given.join(", ") : given,
    ]),
  );

const fitting: Record<RequestKind, string> = {
  approval_request: "approve or deny",
  question: "answer or deny",
  plan: "approve or deny",
};

const misfit = ({ type }: RequestAnswer, kind: RequestKind): ClaudeCodeError =>
  errorOf("invalid_params", `${type} cannot answer this request, which is of type ${kind}.`, {
    hint: `Answer it with ${fitting[kind]}.`,
  });
