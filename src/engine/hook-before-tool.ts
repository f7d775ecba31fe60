import type { HookCallbackMatcher, HookJSONOutput } from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";

/** A tool call that is about to run. */
export interface ProposedCall {
  request_id: string;
  tool: string;
  input: JsonObject;
}

/** Why the call must not run, in words for the model; undefined lets it go on. If it throws, the call is stopped. */
export type Veto = (call: ProposedCall) => string | undefined;

/**
 * Why a person must be asked about the call, in words for that person; undefined when Claude Code decides. If it
 * throws, the person is asked.
 */
export type AskFirst = (call: ProposedCall) => string | undefined;

export interface ToolHookOptions {
  /** Called before each tool call, also where no permission would be asked. */
  veto?: Veto | undefined;
  /** Called before each tool call that was not vetoed: must a person decide on it, even where Claude Code would not ask? */
  askFirst?: AskFirst | undefined;
}

/** Claude Code runs a call whose hook is late. The limit is long, so that a host that was suspended is not late. */
const TIMEOUT_SECONDS = 86_400;

/** In the SDK's form. Permissions are asked only for some calls; this hook runs for all of them. */
export const toolHook = ({ veto, askFirst }: ToolHookOptions): HookCallbackMatcher => ({
  timeout: TIMEOUT_SECONDS,
  // By default Claude Code runs a call whose hook failed. Without a veto the hook cannot fail, and versions that do not
  // know this option refuse it.
  ...(veto && { onFailure: "block" }),
  hooks: [
    async (input) => {
      if (input.hook_event_name !== "PreToolUse") return {};
      const call: ProposedCall = {
        request_id: input.tool_use_id,
        tool: input.tool_name,
        input: input.tool_input as JsonObject,
      };
      const vetoed = veto?.(call);
      if (vetoed !== undefined) return decision("deny", vetoed);
      const reason = askFirst && reasonToAsk(askFirst, call);
      return reason === undefined ? {} : decision("ask", reason);
    },
  ],
});

const decision = (permissionDecision: "deny" | "ask", reason: string): HookJSONOutput => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision,
    permissionDecisionReason: reason,
  },
});

function reasonToAsk(askFirst: AskFirst, call: ProposedCall): string | undefined {
  try {
    return askFirst(call);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The rules could not be read: ${why}`;
  }
}
