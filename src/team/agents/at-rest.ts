import type { SessionAnswerOf } from "../../wire/session/answers.ts";

/** The session's own word, where the desk may know less: it has not heard what was settled before. */
export const isAtRest = (status: SessionAnswerOf<"status">): boolean =>
  status.state === "idle" &&
  status.queued.length + status.pending.length + (status.background_tasks ?? []).length === 0;
