import { isDeepStrictEqual } from "node:util";
import type { ToolResultEvent } from "../../../engine/events.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { TodoItem } from "../../../wire/session-events-state.ts";
import type { EventDraft } from "../../log/log-batch.ts";
import type { SessionState } from "../../state/session-state.ts";
import { toolOutputOf } from "./tool-output.ts";

const states: readonly TodoItem["status"][] = ["pending", "in_progress", "completed"];

/**
 * The list as it is after a call that went well. Which tools for it there are depends on the model: one that
 * writes the whole list, each agent its own; or several that change one item of the list that all agents share.
 */
export function translateTodo(event: ToolResultEvent, state: SessionState): EventDraft[] {
  const call = state.calls.get(event.request_id);
  if (!call || event.is_error) return [];
  if (call.tool === "TodoWrite") {
    const mark = event.parent === undefined ? {} : { parent: event.parent };
    return [{ type: "todo", items: listOf(call.input["todos"]).flatMap(writtenItem), ...mark }];
  }
  const before = state.todo?.items ?? [];
  const items = itemsAfter(call.tool, call.input, event, before);
  return isDeepStrictEqual(items, before) ? [] : [{ type: "todo", items }];
}

function itemsAfter(
  tool: string,
  input: JsonObject,
  { output, detail }: ToolResultEvent,
  before: TodoItem[],
): TodoItem[] {
  const result = isRecord(detail) ? detail : {};
  switch (tool) {
    case "TaskCreate": {
      const id = createdId(result, toolOutputOf(output).output);
      return id === undefined ? before : changed(before, id, { ...input, status: "pending" });
    }
    case "TaskUpdate": {
      const { taskId: id } = input;
      const isDone = result["success"] ?? toolOutputOf(output).output.startsWith("Updated");
      return typeof id === "string" && isDone === true ? changed(before, id, input) : before;
    }
    case "TaskList": {
      if (!Array.isArray(result["tasks"])) return before;
      const all = listOf(result["tasks"]);
      const old = before.filter(({ id }) => all.some((task) => task["id"] === id));
      return all.reduce((items, task) => changed(items, String(task["id"]), task), old);
    }
    default:
      return before;
  }
}

/** Of a sub-agent's call only the words are told. */
function createdId({ task }: JsonObject, words: string): string | undefined {
  const id = isRecord(task) ? task["id"] : /^Task #(\S+) created/.exec(words)?.[1];
  return typeof id === "string" ? id : undefined;
}

/** With what the fields say of the item; one that is not there comes last, if it has a name. */
function changed(items: TodoItem[], id: string, fields: Record<string, unknown>): TodoItem[] {
  const { subject, status, activeForm } = fields;
  if (status === "deleted") return items.filter((item) => item.id !== id);
  const known = states.find((state) => state === status);
  const change = {
    ...(typeof subject === "string" && { content: subject }),
    ...(known !== undefined && { status: known }),
    ...(typeof activeForm === "string" && { active_form: activeForm }),
  };
  if (items.some((item) => item.id === id)) {
    return items.map((item) => (item.id === id ? { ...item, ...change } : item));
  }
  const { content } = change;
  return content === undefined ? items : [...items, { id, status: "pending", ...change, content }];
}

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isRecord) : [];

function writtenItem({ content, status, activeForm }: Record<string, unknown>): TodoItem[] {
  const known = states.find((state) => state === status);
  if (typeof content !== "string" || known === undefined) return [];
  return [
    {
      content,
      status: known,
      ...(typeof activeForm === "string" && { active_form: activeForm }),
    },
  ];
}
