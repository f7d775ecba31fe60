import { isDeepStrictEqual } from "node:util";
import type { BackgroundTasksEvent } from "../../../engine/events.ts";
import type { EventDraft } from "../../log/log-batch.ts";
import type { SessionState } from "../../state/session-state.ts";

/** A command without a description is described by itself, and may be a whole script. */
const MAX_DESCRIPTION_CHARS = 500;

/** What runs in the background now, when that is news. */
export function translateTasks(event: BackgroundTasksEvent, state: SessionState): EventDraft[] {
  const tasks = event.tasks.map((task) => ({ ...task, description: cut(task.description) }));
  return isDeepStrictEqual(tasks, state.backgroundTasks)
    ? []
    : [{ type: "background_tasks", tasks }];
}

const cut = (text: string): string =>
  text.length > MAX_DESCRIPTION_CHARS ? `${text.slice(0, MAX_DESCRIPTION_CHARS)}…` : text;
