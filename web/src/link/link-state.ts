import type { ClaudeCodeError } from "agent-switchboard/wire";

/** What a person is told of a connection. */
export type LinkState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "lost"; readonly retryInMs: number }
  | { readonly kind: "ended"; readonly error: ClaudeCodeError | undefined };

interface StreamChange {
  readonly state: "connected" | "lost" | "closed";
  readonly retryInMs?: number;
  readonly error?: ClaudeCodeError;
}

/** From what a client of the package reports. */
export function linkStateOf({ state, retryInMs = 0, error }: StreamChange): LinkState {
  if (state === "connected") return { kind: "live" };
  return state === "lost" ? { kind: "lost", retryInMs } : { kind: "ended", error };
}
