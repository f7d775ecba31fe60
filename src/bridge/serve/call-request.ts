import type { ToolCallRequest } from "../call/perform-call.ts";

/** Where Claude Code puts the model's id of a call. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** What a session sends along with a call, and how to notify it before the answer. */
export interface CallContext {
  readonly meta: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly notify: (message: {
    method: "notifications/progress";
    params: ProgressParams;
  }) => Promise<void>;
}

interface ProgressParams {
  [field: string]: unknown;
  progressToken: string | number;
  progress: number;
}

export function toCallRequest(
  name: string,
  args: Record<string, unknown>,
  { meta, signal, notify }: CallContext,
): ToolCallRequest {
  const toolUseId = meta[TOOL_USE_ID];
  const progressToken = meta["progressToken"] as string | number | undefined;
  return {
    name,
    args,
    toolUseId: typeof toolUseId === "string" ? toolUseId : undefined,
    signal,
    progress(progress) {
      if (progressToken === undefined) return;
      const params = { ...progress, progressToken };
      // Progress is optional: when the session has left, the call's own end reports it.
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
