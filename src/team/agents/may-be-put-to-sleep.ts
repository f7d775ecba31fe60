import type { SessionAnswerOf } from "../../wire/session/answers.ts";

/** Asks the session itself, because the view may know less: it has not read events that were settled before. */
export const mayBePutToSleep = (status: SessionAnswerOf<"status">): boolean =>
  status.state === "idle" &&
  status.continuation === undefined &&
  status.queued.length + status.pending.length + (status.background_tasks ?? []).length === 0;
