import { setImmediate as nextLoop } from "node:timers/promises";
import type {
  CanUseTool,
  PermissionResult,
  PermissionUpdate,
} from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";

/** A tool call that needs a decision before it may run. */
export interface PermissionRequest {
  /** The id of the tool call; `tool_use` and `tool_result` carry the same one. */
  request_id: string;
  tool: string;
  input: JsonObject;
  /** The rules that would make this question unnecessary next time. */
  suggestions: PermissionUpdate[];
  title?: string;
  description?: string;
  reason?: string;
  blocked_path?: string;
  /** The sub-agent that wants to make the call. */
  agent?: string;
  /** The call that started that sub-agent, where it is known. */
  parent?: string;
  /** The question must open on "no" and offer no rule for later. */
  default_to_no?: boolean;
  /** Aborts when the decision is no longer needed. */
  signal: AbortSignal;
}

export type PermissionDecision =
  | { allow: true; updated_input?: JsonObject; updated_permissions?: PermissionUpdate[] }
  | { allow: false; message: string; interrupt?: boolean };

export type Decide = (request: PermissionRequest) => Promise<PermissionDecision>;

/** Our decision function in the SDK's form. If it throws, the call is denied, with the reason. */
export function canUseToolOf(decide: Decide): CanUseTool {
  return async (tool, input, options): Promise<PermissionResult> => {
    // The SDK asks as soon as it reads the question; the tool call before it in the same chunk may still be in the
    // message queue. One loop later it has been reported.
    await nextLoop();
    // Listeners wait for the abort event; a signal that is already aborted sends none.
    if (options.signal.aborted) return { behavior: "deny", message: "The question was withdrawn." };
    const decision = await decide({
      request_id: options.toolUseID,
      tool,
      input: input as JsonObject,
      suggestions: options.suggestions ?? [],
      signal: options.signal,
      ...(options.title !== undefined && { title: options.title }),
      ...(options.description !== undefined && { description: options.description }),
      ...(options.decisionReason !== undefined && { reason: options.decisionReason }),
      ...(options.blockedPath !== undefined && { blocked_path: options.blockedPath }),
      ...(options.agentID !== undefined && { agent: options.agentID }),
      ...((options.defaultToNo || options.suppressAlwaysAllowRule) && { default_to_no: true }),
    });
    if (decision.allow) {
      return {
        behavior: "allow",
        updatedInput: decision.updated_input ?? input,
        ...(decision.updated_permissions && { updatedPermissions: decision.updated_permissions }),
      };
    }
    const { message, interrupt = false } = decision;
    return { behavior: "deny", message, interrupt };
  };
}
