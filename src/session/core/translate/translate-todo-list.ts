import { isDeepStrictEqual } from "node:util";
import type { ToolResultEvent } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { TodoItem } from "../../../wire/session/state-events.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import type { SessionState } from "../../../session-state/session-state.ts";
import { toolOutputOf } from "./tool-output.ts";

const states: readonly TodoItem["status"][] = ["pending", "in_progress", "completed"];

/**
 * The to-do list after a successful call. The model determines the tools: one that writes the whole list, separately
 * for each agent; or several that change single items of a list that all agents share.
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

/** A sub-agent's call reports only its text. */
function createdId({ task }: JsonObject, words: string): string | undefined {
  const id = isRecord(task) ? task["id"] : /^Task #(\S+) created/.exec(words)?.[1];
  return typeof id === "string" ? id : undefined;
}

/** The list with the item changed; a new item goes to the end, if it has a name. */
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
