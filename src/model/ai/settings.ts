import type { ModelOptions } from "../model-options.ts";
import type { TransportType } from "../../wire/ipc-files.ts";

/** How the sessions behind a provider's models run. */
export interface ClaudeCodeSettings extends Omit<ModelOptions, "model" | "timeoutMs"> {
  /**
   * Model mode, the default, has no tools but the caller's own. With a list of names Claude Code's own tools
   * are there too, run by itself, and its own system prompt stands before the caller's.
   */
  builtInTools?: string[];
  /** How the caller's tools reach the session. `auto` is `sdk`, which needs no further process. */
  transport?: TransportType;
  /**
   * How long a session waits for the results of the tools that it called; 2 hours unless told, so that a person
   * may be asked; 0 is no limit. After it, the session is ended. Results that come later are refused once, with
   * the error `timeout`; sent again, they begin a new session with the whole conversation.
   */
  holdMs?: number;
  /** How many sessions may wait at once; 16 unless told. One more, and the longest waiting is ended. */
  maxHeld?: number;
}

/** What one call may say, under `providerOptions["claude-code"]`. */
export interface ClaudeCodeCallOptions {
  /** Go on in this session: only what came after the last answer is sent. */
  resume?: string;
  /**
   * The caller's own id of this request, for callers who may send one again without knowing whether it came. The
   * same messages under the same id are one request: whoever sends them again is told the same, as it happens or,
   * for a minute, from its record. A request that failed runs anew.
   */
  requestId?: string;
}

export const PROVIDER = "claude-code";
export const HOLD_MS = 2 * 60 * 60_000;
export const MAX_HELD = 16;
