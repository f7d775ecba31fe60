import type { SessionEvent } from "../wire/session-events.ts";

/** What was told so far does not count any more; what stands for it follows. */
export interface Reset {
  readonly type: "reset";
  readonly logId: string;
  readonly epoch: number;
}

export type SessionItem = SessionEvent | Reset;
