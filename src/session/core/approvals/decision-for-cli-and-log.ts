import type { PermissionDecision, PermissionRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { ClaudeCodeError } from "../../../wire/errors.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { SessionCommandOf } from "../../../wire/session/commands.ts";
import type { SessionEventOf } from "../../../wire/session/events.ts";
import type { Answers, PermissionMode } from "../../../wire/session/shared-schemas.ts";
import { PermissionModeSchema } from "../../../wire/session/shared-schemas.ts";
import type { Question } from "../../../wire/session/approval-events.ts";
import type { RequestKind } from "./request-draft.ts";
import { kindOf, questionsOf } from "./request-draft.ts";
import { scopesOf, updatesOf } from "./scopes-of-request.ts";

export type RequestAnswer = SessionCommandOf<"approve" | "deny" | "answer" | "respond">;

/** What the log records of an answer. */
export type ResolvedFields = Omit<
  SessionEventOf<"approval_resolved">,
  "seq" | "at" | "type" | "request_id"
>;

/** A person's answer in the CLI's form, and what the log records of it. */
export interface RecordedDecision {
  decision: PermissionDecision;
  resolution: ResolvedFields;
}

const NO_ANSWER = "No person answered before the deadline, so the call was denied.";

/** What becomes of a call when nobody answers in time. */
export const unansweredCall = (): RecordedDecision => ({
  decision: { allow: false, message: NO_ANSWER },
  resolution: { outcome: "timed_out", reason: NO_ANSWER },
});

/**
 * @param modes those that the CLI can be put into; all of them by default.
 * @throws `invalid_params` when the answer does not fit what was asked.
 */
export function decisionOf(
  answer: RequestAnswer,
  request: PermissionRequest,
  modes: readonly PermissionMode[] = PermissionModeSchema.options,
): RecordedDecision {
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
    case "respond":
      throw misfit(answer, kind);
    default:
      if (kind === "question") throw misfit(answer, kind);
      if (kind !== "plan") return toolDecision(answer, request);
      checkMode(answer.mode, modes);
      return planDecision(answer, request);
  }
}

function toolDecision(
  { scope, updated_input, mode, plan }: SessionCommandOf<"approve">,
  request: PermissionRequest,
): RecordedDecision {
  if (mode !== undefined || plan !== undefined) {
    throw errorOf("invalid_params", "mode and plan are only for the approval of a plan.", {
      hint: "Leave them out. updated_input changes the input of a call.",
    });
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
  if (updated_input !== undefined) {
    throw errorOf("invalid_params", "updated_input is not for the approval of a plan.", {
      hint: "Pass the edited plan in the field plan.",
    });
  }
  return {
    decision: {
      allow: true,
      updated_input: { ...input, ...(plan !== undefined && { plan }) },
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

/** The CLI passes over a mode that it cannot be put into without a word, and goes on in another one. */
function checkMode(mode: PermissionMode | undefined, modes: readonly PermissionMode[]): void {
  if (mode === undefined || modes.includes(mode)) return;
  const message = `Claude Code cannot go on in ${mode}, because it was not started in that mode.`;
  throw errorOf("invalid_params", message, {
    hint: `Use one of: ${modes.join(", ")}.`,
    data: { modes: [...modes] },
  });
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
