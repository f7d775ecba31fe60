import type { PermissionDecision, PermissionRequest } from "../../engine/permission.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionCommandOf } from "../../wire/session-commands.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { Answers } from "../../wire/session-terms.ts";
import type { Question } from "../../wire/session-events-approval.ts";
import type { RequestKind } from "./requests.ts";
import { kindOf, questionsOf } from "./requests.ts";
import { scopesOf, updatesOf } from "./scopes.ts";

export type Answer = SessionCommandOf<"approve" | "deny" | "answer">;

/** A person's answer as the CLI takes it, and what the log says of it. */
export interface Decision {
  decision: PermissionDecision;
  resolution: Omit<SessionEventOf<"approval_resolved">, "seq" | "at" | "type" | "request_id">;
}

/** @throws `invalid_params` when the answer does not fit what was asked. */
export function decisionOf(answer: Answer, request: PermissionRequest): Decision {
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
): Decision {
  if (mode !== undefined || plan !== undefined) {
    throw errorOf("invalid_params", "mode and plan go with the approval of a plan only.");
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
): Decision {
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

/** What the CLI does not know as an answer it passes over: the question would be used up, and the model hear nothing. */
function checkAnswers(answers: Answers, questions: readonly Question[]): void {
  for (const [asked, given] of Object.entries(answers)) {
    const question = questions.find((each) => each.question === asked);
    if (!question) {
      throw errorOf("invalid_params", `This request does not ask: ${asked}`, {
        hint: `Name the questions as they are asked: ${questions.map((each) => each.question).join(" ")}`,
      });
    }
    if (Array.isArray(given) && given.length > 1 && !question.multi) {
      throw errorOf("invalid_params", `One answer is wanted: ${asked}`, {
        hint: "Give one label, or words of your own.",
      });
    }
  }
}

/** The CLI takes one text per question; several labels stand in it with commas between them. */
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

const misfit = ({ type }: Answer, kind: RequestKind): ClaudeCodeError =>
  errorOf("invalid_params", `${type} does not fit this request, which is of the type ${kind}.`, {
    hint: `Answer it with ${fitting[kind]}.`,
  });
