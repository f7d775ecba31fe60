import type { CallRequest } from "../call/perform.ts";

/** Where Claude Code puts the model's id of a call. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** What a session sends along with a call, and how it can be told something before the answer. */
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
): CallRequest {
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
      // Progress is a courtesy: when the session has left, the call's own end tells.
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
