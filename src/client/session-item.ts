import type { SessionEvent } from "../wire/session/events.ts";

/** Earlier events no longer count; a snapshot that replaces them follows. */
export interface Reset {
  readonly type: "reset";
  readonly logId: string;
  readonly epoch: number;
}

export type SessionItem = SessionEvent | Reset;
