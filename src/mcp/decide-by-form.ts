import { inputResponse } from "@modelcontextprotocol/server";
import type { TeamClient } from "../team/core.ts";
import { toWire } from "../wire/error-wire.ts";
import { ClaudeCodeError } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import type { PendingRequest, Question } from "../wire/session/approval-events.ts";
import type { Answers } from "../wire/session/shared-schemas.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";
import { choices, fieldOfQuestion, ownWordsOfQuestion } from "./decision-form.ts";

/** What became of a form that was shown to the person. */
export type FormOutcome =
  /** The team has the decision of the person, or somebody was faster. */
  | { readonly kind: "decided" }
  /** The person has not decided: the form was closed, or it was never shown. The request stays open. */
  | { readonly kind: "left" }
  /** What was filled in does not fit. */
  | { readonly kind: "unfit"; readonly why: string };

type Content = Readonly<Record<string, unknown>>;
type Decision =
  | {
      readonly method: "approve";
      readonly params: { request_id: string; scope: "once" | "session" };
    }
  | { readonly method: "deny"; readonly params: { request_id: string; reason?: string } }
  | { readonly method: "answer"; readonly params: { request_id: string; answers: Answers } }
  | {
      readonly method: "respond";
      readonly params: { request_id: string; action: "accept"; content?: JsonObject };
    };

const REASON_CHARS = 10_000;
/** Somebody was faster, or nobody waits for it any more. */
const settled: ReadonlySet<string> = new Set(["already_resolved", "unknown_request"]);

/**
 * Decides as the person did in the form. A form that was closed or declined decides nothing: clients that can show
 * nothing decline at once, and then nobody was asked. A denial is a choice in the form.
 *
 * @throws what the team answers, except that the request is over or the content does not fit.
 */
export async function decideByForm(
  team: TeamClient,
  { request }: TeamApproval,
  responses: Record<string, unknown> | undefined,
): Promise<FormOutcome> {
  const response = inputResponse(responses, request.request_id);
  if (response.kind !== "elicit") return { kind: "unfit", why: "There was no answer to the form." };
  if (response.action !== "accept") return { kind: "left" };
  const decision = decisionIn(request, response.content ?? {});
  if (decision === undefined) return { kind: "unfit", why: "The form says nothing about it." };
  try {
    await team.request(decision.method, decision.params);
    return { kind: "decided" };
  } catch (error) {
    if (!(error instanceof ClaudeCodeError)) throw error;
    if (settled.has(error.code)) return { kind: "decided" };
    if (error.code !== "invalid_params") throw error;
    return { kind: "unfit", why: toWire(error).message };
  }
}

function decisionIn(request: PendingRequest, content: Content): Decision | undefined {
  const { request_id } = request;
  if (request.type === "question") {
    const answers = answersIn(request.questions, content);
    return answers && { method: "answer", params: { request_id, answers } };
  }
  if (request.type === "elicitation") {
    const filled = request.mode === "form" ? { content: content as JsonObject } : {};
    return { method: "respond", params: { request_id, action: "accept", ...filled } };
  }
  const { decision, reason } = content;
  if (decision === choices.once || decision === choices.session) {
    return { method: "approve", params: { request_id, scope: decision } };
  }
  if (decision !== choices.deny) return undefined;
  const why = typeof reason === "string" ? reason.trim().slice(0, REASON_CHARS) : "";
  return { method: "deny", params: { request_id, ...(why !== "" && { reason: why }) } };
}

/** Undefined when a question has no answer. */
function answersIn(questions: readonly Question[], content: Content): Answers | undefined {
  const answers: Record<string, string | string[]> = {};
  for (const [index, { question }] of questions.entries()) {
    const own = content[ownWordsOfQuestion(index)];
    const chosen = content[fieldOfQuestion(index)];
    if (typeof own === "string" && own.trim() !== "") answers[question] = own;
    else if (typeof chosen === "string" && chosen !== "") answers[question] = chosen;
    else if (isTexts(chosen) && chosen.length > 0) answers[question] = chosen;
    else return undefined;
  }
  return answers;
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
