import type {
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { PendingRequest } from "../../client/index.ts";
import type { EditorAnswer } from "./editor-answer.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import { textContent } from "../translate/text-content.ts";
import { diffsOfChanges, diffsOfInput, locationsOfChanges } from "../translate/diffs.ts";
import { textOf } from "../translate/text-or-preview.ts";
import { kindOf, titleOf } from "../translate/tool-call.ts";

/** Requests that an editor answers by choosing a button. */
export type ButtonRequest = Extract<
  PendingRequest,
  { type: "approval_request" | "plan" | "notice" }
>;

export interface PermissionQuestion {
  readonly toolCall: ToolCallUpdate;
  readonly options: PermissionOption[];
}

const DENY = "deny";

/** Modes in which a plan can go on, in the order in which they are offered. */
const planModes: readonly { mode: PermissionMode; name: string; kind: PermissionOption["kind"] }[] =
  [
    { mode: "acceptEdits", name: "Yes, and accept edits", kind: "allow_always" },
    { mode: "auto", name: "Yes, in auto mode", kind: "allow_always" },
    { mode: "bypassPermissions", name: "Yes, and allow everything", kind: "allow_always" },
    { mode: "default", name: "Yes, and ask before each change", kind: "allow_once" },
  ];

const optionKinds = {
  once: "allow_once",
  session: "allow_always",
  always: "allow_always",
} as const;

const deny = (name: string): PermissionOption => ({ optionId: DENY, name, kind: "reject_once" });

function approvalQuestion(
  request: Extract<PendingRequest, { type: "approval_request" }>,
  cwd: string,
): PermissionQuestion {
  const { request_id: toolCallId, tool, input, changes = [], scopes } = request;
  const compared = diffsOfChanges(changes, cwd);
  const diffs = compared.length > 0 ? compared : diffsOfInput(tool, input, cwd);
  const title = titleOf(tool, input, cwd);
  const words = [request.description, request.reason, request.policy?.rule].filter(
    (text): text is string => text !== undefined && !title.includes(text),
  );
  const content = [...words.map(textContent), ...diffs];
  const locations = locationsOfChanges(changes, cwd);
  const allow = scopes.map(({ scope, label }) => ({
    optionId: scope,
    name: label,
    kind: optionKinds[scope],
  }));
  const reject = deny("Reject");
  return {
    toolCall: {
      toolCallId,
      title,
      name: tool,
      kind: kindOf(tool),
      status: "pending",
      rawInput: input,
      ...(content.length > 0 && { content }),
      ...(locations.length > 0 && { locations }),
    },
    options: request.default_to_no ? [reject, ...allow] : [...allow, reject],
  };
}

/** How the editor shows a request. @param modes those that the session offers. */
export function permissionQuestion(
  request: ButtonRequest,
  cwd: string,
  modes: readonly PermissionMode[],
): PermissionQuestion {
  switch (request.type) {
    case "approval_request":
      return approvalQuestion(request, cwd);
    case "plan":
      return {
        toolCall: {
          toolCallId: request.request_id,
          title: "Go on with this plan?",
          kind: "switch_mode",
          status: "pending",
          content: [textContent(textOf(request.plan))],
        },
        options: [
          ...planModes
            .filter(({ mode }) => modes.includes(mode))
            .map(({ mode, name, kind }) => ({ optionId: mode, name, kind })),
          deny("No, keep planning"),
        ],
      };
    default:
      return {
        toolCall: {
          toolCallId: request.request_id,
          title: request.message,
          kind: "other",
          status: "pending",
          ...(request.hint !== undefined && { content: [textContent(request.hint)] }),
        },
        options: [
          { optionId: "go_on", name: "Yes, go on", kind: "allow_once" },
          deny("No, drop what waits"),
        ],
      };
  }
}

/** A person who closes the question, and an editor that cancels the turn, want the turn to end. */
const stop: EditorAnswer = { type: "deny", interrupt: true };

/** What the person's choice means for the session. */
export function permissionAnswer(
  request: ButtonRequest,
  outcome: RequestPermissionOutcome,
): EditorAnswer {
  if (outcome.outcome === "cancelled") {
    return request.type === "notice" ? { type: "leave" } : stop;
  }
  const { optionId } = outcome;
  if (optionId === DENY) return { type: "deny" };
  if (request.type === "notice") return optionId === "go_on" ? { type: "approve" } : unknown();
  if (request.type === "plan") {
    const chosen = planModes.find(({ mode }) => mode === optionId);
    return chosen === undefined ? unknown() : { type: "approve", mode: chosen.mode };
  }
  const chosen = request.scopes.find(({ scope }) => scope === optionId);
  return chosen === undefined ? unknown() : { type: "approve", scope: chosen.scope };
}

const unknown = (): EditorAnswer => ({
  type: "deny",
  reason: "The editor gave an answer that was not among those that it was offered.",
});
