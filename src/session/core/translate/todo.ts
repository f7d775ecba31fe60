import type { JsonValue } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { TodoItem } from "../../../wire/session-events-state.ts";

const states: readonly TodoItem["status"][] = ["pending", "in_progress", "completed"];

/** The whole list, when the call writes it. */
export function todoOf(tool: string, input: JsonValue): TodoItem[] | undefined {
  if (tool !== "TodoWrite" || !isRecord(input) || !Array.isArray(input["todos"])) return undefined;
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
