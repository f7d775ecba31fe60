import type { ToolResultEvent } from "../../../engine/events.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { TodoItem } from "../../../wire/session-events-state.ts";
import type { EventDraft } from "../../log/log-batch.ts";
import type { SessionState } from "../../state/session-state.ts";

const states: readonly TodoItem["status"][] = ["pending", "in_progress", "completed"];

/** The list that a call has written, when the call went well. */
export function translateTodo(event: ToolResultEvent, state: SessionState): EventDraft[] {
  const call = state.calls.get(event.request_id);
  if (call?.tool !== "TodoWrite" || event.is_error) return [];
  const mark = event.parent === undefined ? {} : { parent: event.parent };
  return [{ type: "todo", items: itemsOf(call.input), ...mark }];
}

function itemsOf(input: JsonObject): TodoItem[] {
  if (!Array.isArray(input["todos"])) return [];
  return (input["todos"] as unknown[]).filter(isRecord).flatMap((item) => {
    const { content, status, activeForm } = item;
    const known = states.find((state) => state === status);
    if (typeof content !== "string" || known === undefined) return [];
    return {
      content,
      status: known,
      ...(typeof activeForm === "string" && { active_form: activeForm }),
    };
  });
}
