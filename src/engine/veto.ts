import type { Options } from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";

/** A tool call that is about to run. */
export interface ProposedCall {
  request_id: string;
  tool: string;
  input: JsonObject;
}

/**
 * Gives back why the call must not run, in words for the model; nothing lets it pass to the permissions. One
 * that throws stops the call.
 */
export type Veto = (call: ProposedCall) => string | undefined;

/** In the SDK's form: permissions are asked only for some calls, a hook for all of them. */
export function hooksOf(veto: Veto): NonNullable<Options["hooks"]> {
  return {
    PreToolUse: [
      {
        // Unless told, the CLI would go ahead with a call whose hook failed.
        onFailure: "block",
        hooks: [
          async (input) => {
            if (input.hook_event_name !== "PreToolUse") return {};
            const reason = veto({
              request_id: input.tool_use_id,
              tool: input.tool_name,
              input: input.tool_input as JsonObject,
            });
            if (reason === undefined) return {};
            return {
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                permissionDecision: "deny",
                permissionDecisionReason: reason,
              },
            };
          },
        ],
      },
    ],
  };
}
