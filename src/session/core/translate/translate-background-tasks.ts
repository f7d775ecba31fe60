import { isDeepStrictEqual } from "node:util";
import type { BackgroundTasksEvent } from "../../../engine/index.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import { cutText } from "../../../text/cut-text.ts";

/** A command without a description is described by its own text, which may be a whole script. */
export const MAX_DESCRIPTION_CHARS = 500;

/** The list of background tasks, when it has changed. */
export function translateTasks(event: BackgroundTasksEvent, state: SessionState): EventDraft[] {
  const tasks = event.tasks.map((task) => ({
    ...task,
    description: cutText(task.description, MAX_DESCRIPTION_CHARS),
  }));
  return isDeepStrictEqual(tasks, state.backgroundTasks)
    ? []
    : [{ type: "background_tasks", tasks }];
}
