import type { Conversation, ToolItem } from "agent-switchboard/client/core";
import { wordOf } from "./tool-summary.ts";

const states = ["pending", "in_progress", "completed"] as const;
type TodoState = (typeof states)[number];

export interface ShownTodo {
  readonly content: string;
  readonly status: TodoState;
}

/**
 * What a call says of the things to do: all of them, or the one that it adds or changes, by its name in the list that is known.
 * Undefined when it cannot be told.
 */
export function todosOfCall(
  { tool, input = {} }: ToolItem,
  known: Conversation["todo"],
): readonly ShownTodo[] | undefined {
  const { todos, subject, taskId, status } = input;
  if (Array.isArray(todos)) return todos.map(todoOf);
  if (tool === "TaskCreate" && subject !== undefined) {
    return [{ content: wordOf(subject) ?? "", status: "pending" }];
  }
  const todo = known.find(({ id }) => id !== undefined && id === taskId);
  if (tool !== "TaskUpdate" || !todo) return undefined;
  return [{ content: wordOf(subject) ?? todo.content, status: stateOf(status ?? todo.status) }];
}

function todoOf(todo: unknown): ShownTodo {
  const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
  return { content: wordOf(content) ?? "", status: stateOf(status) };
}

const stateOf = (status: unknown): TodoState => states.find((each) => each === status) ?? "pending";
