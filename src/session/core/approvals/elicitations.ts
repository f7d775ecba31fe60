import type { ElicitationAnswer, ElicitationRequest } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { ClaudeCodeError } from "../../../wire/errors.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { RequestAnswer, ResolvedFields } from "./decision-for-cli-and-log.ts";
import type { Asked } from "./request-draft.ts";
import { withoutPatterns } from "../without-patterns.ts";

/** A server's words, or its form, may take this much of a line. */
const MAX_ELICITATION_CHARS = 65_536;

/** An answer in the form of MCP, and what the log records of it. */
export interface RecordedResponse {
  readonly response: ElicitationAnswer;
  readonly resolution: ResolvedFields;
}

/** Says what is wrong with the content of a form, field by field; undefined when it fits. */
export type CheckForm = (content: JsonObject) => string | undefined;

/** No form that a person could fill in is this long. */
export const isTooLong = ({ message, schema, url = "" }: ElicitationRequest): boolean =>
  message.length + url.length + JSON.stringify(schema ?? {}).length > MAX_ELICITATION_CHARS;

/** The request in the form that people see. */
export function elicitationDraft(
  request: ElicitationRequest,
  asked: Asked,
  call: string | undefined,
): EventDraft {
  const { signal: _signal, ...shown } = request;
  return { type: "elicitation", ...asked, ...shown, ...(call !== undefined && { call }) };
}

/**
 * The open call of the server, whose handler asks. The CLI does not say which one it is, so with several calls it is
 * not known.
 */
export function callBehind(
  { server }: ElicitationRequest,
  { calls }: SessionState,
): { request_id: string; parent: string | undefined } | undefined {
  const prefix = `mcp__${server.replaceAll(/[^\w-]/g, "_")}__`;
  const ofServer = [...calls].filter(([, { tool }]) => tool.startsWith(prefix));
  const [first] = ofServer;
  return first && ofServer.length === 1
    ? { request_id: first[0], parent: first[1].parent }
    : undefined;
}

/** Nobody answered: the server is told that the person left it open. */
export const unanswered = (): RecordedResponse => ({
  response: { action: "cancel" },
  resolution: { outcome: "timed_out", action: "cancel" },
});

/** @throws `invalid_params` when the answer does not fit what was asked. */
export function responseOf(
  answer: RequestAnswer,
  { mode }: Pick<ElicitationRequest, "mode">,
  checkForm: CheckForm,
): RecordedResponse {
  if (answer.type === "deny") {
    if (answer.interrupt) {
      throw errorOf("invalid_params", "interrupt is only for tool calls, questions and plans.", {
        hint: "Decline, and send abort to end the turn as well.",
      });
    }
    return refusal("decline");
  }
  if (answer.type !== "respond") {
    throw errorOf("invalid_params", `${answer.type} cannot answer what an MCP server asks.`, {
      hint: "Answer it with respond or deny.",
    });
  }
  const { action, content } = answer;
  if (content !== undefined && (action !== "accept" || mode === "url")) {
    throw errorOf("invalid_params", "content is only for a form that is accepted.", {
      hint: "Leave content out.",
    });
  }
  if (action !== "accept") return refusal(action);
  if (mode === "url") {
    return { response: { action }, resolution: { outcome: "allowed", action } };
  }
  const filled = content ?? {};
  const problem = checkForm(filled);
  if (problem !== undefined) throw misfit(problem);
  return {
    response: { action, content: filled },
    resolution: { outcome: "allowed", action, content: filled },
  };
}

const refusal = (action: "decline" | "cancel"): RecordedResponse => ({
  response: { action },
  resolution: { outcome: "denied", action },
});

const misfit = (problem: string): ClaudeCodeError =>
  errorOf("invalid_params", `respond.content: ${problem}`, {
    hint: "Correct the field, and send it again: the request is still open. Its schema says what fits.",
  });

/**
 * The check of a form's content against the server's schema. The validator is loaded only now: most sessions never
 * need it. A schema that cannot be read checks nothing, as the server checks what it gets in any case.
 */
export async function loadFormCheck(schema: JsonObject | undefined): Promise<CheckForm> {
  if (!schema) return () => undefined;
  const [{ chooseValidator }, { describeViolations }] = await Promise.all([
    import("../../../bridge/tool/choose-validator.ts"),
    import("../../../bridge/tool/validator.ts"),
  ]);
  try {
    const { validate } = chooseValidator({ ...withoutPatterns(schema), type: "object" }, "input");
    return (content) => {
      const checked = validate(content);
      if (checked instanceof Promise || checked.ok) return undefined;
      return describeViolations(checked.violations);
    };
  } catch {
    return () => undefined;
  }
}
