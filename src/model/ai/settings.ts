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
   * How long a session waits for the results of the tools that it called; 10 minutes unless told. After it,
   * the session is ended, and results that come later begin a new one with the whole conversation.
   */
  holdMs?: number;
  /** How many sessions may wait at once; 16 unless told. One more, and the longest waiting is ended. */
  maxHeld?: number;
}

/** What one call may say, under `providerOptions["claude-code"]`. */
export interface ClaudeCodeCallOptions {
  /** Go on in this session: only the last messages of the user are sent. */
  resume?: string;
}

export const PROVIDER = "claude-code";
export const HOLD_MS = 10 * 60_000;
export const MAX_HELD = 16;
