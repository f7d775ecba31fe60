import type { ModelOptions } from "../model-options.ts";
import type { TransportType } from "../../wire/ipc-files.ts";

/** How the sessions behind a provider's models run. */
export interface ClaudeCodeSettings extends Omit<ModelOptions, "model" | "timeoutMs"> {
  /**
   * Model mode, the default, has only the caller's own tools. With a list of names, Claude Code also has these tools
   * of its own, which it runs itself, and its system prompt comes before the caller's.
   */
  builtInTools?: string[];
  /** How the caller's tools reach the session. `auto` is `sdk`, which needs no further process. */
  transport?: TransportType;
  /**
   * How long a session waits for the results of the tools that it called; 2 hours by default, so that a person may be
   * asked; 0 is no limit. After that the session is ended. Later results are refused once, with the error `timeout`;
   * sent again, they begin a new session with the whole conversation.
   */
  holdMs?: number;
  /** How many sessions may wait at once; 16 by default. When one more waits, the longest waiting one is ended. */
  maxHeld?: number;
}

/** The options of one call, under `providerOptions["claude-code"]`. */
export interface ClaudeCodeCallOptions {
  /** Continue in this session: only what came after the last answer is sent. */
  resume?: string;
  /**
   * The caller's own id of this request, for callers that may repeat one without knowing whether it arrived. The same
   * messages under the same id are one request: a repetition gets the same answer, as it happens or, for a minute,
   * from its record. A failed request runs again.
   */
  requestId?: string;
}

export const PROVIDER = "claude-code";
export const HOLD_MS = 2 * 60 * 60_000;
export const MAX_HELD = 16;
