import { expect, test } from "vitest";
import type { ToolResultEvent } from "../../../engine/events.ts";
import type { JsonObject, JsonValue } from "../../../wire/json.ts";
import { parseEvent } from "../../../wire/session/events.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import { applyEvent } from "../../../session-state/apply-event.ts";
import { emptyState } from "../../../session-state/session-state.ts";
import { translateTodo } from "./translate-todo-list.ts";

interface Played {
  output?: JsonValue;
  detail?: JsonValue;
  is_error?: boolean;
  parent?: string;
}

/** A session in which calls are made, one after the other, with what each of them tells of the list. */
function stage() {
  const state = emptyState();
  let seq = 0;
  const log = (draft: EventDraft): void => {
    const checked = parseEvent({ ...draft, seq: (seq += 1), at: "2026-11-17T00:00:00.000Z" });
    if (!checked.ok) throw checked.error;
    applyEvent(state, checked.value);
  };
  const play = (tool: string, input: JsonObject, played: Played = {}): EventDraft[] => {
    const request_id = `c${seq}`;
    const { output = "", is_error = false, parent, ...more } = played;
    const mark = parent === undefined ? {} : { parent };
    log({ type: "tool_use", request_id, tool, input, ...mark });
    const result: ToolResultEvent = {
      type: "tool_result",
      request_id,
      output,
      is_error,
      ...more,
      ...mark,
    };
    const drafts = translateTodo(result, state);
    drafts.forEach(log);
    return drafts;
  };
  return { state, log, play, items: () => state.todo?.items };
}

test("a complete list replaces the one before; a sub-agent has its own", () => {
  const { play, items } = stage();
  const todos = [
    { content: "a", status: "in_progress", activeForm: "doing a" },
    { content: "b", status: "pending" },
    { content: "c", status: "a word of tomorrow" },
    "nonsense",
  ];
  play("TodoWrite", { todos });
  const list = [
    { content: "a", status: "in_progress", active_form: "doing a" },
    { content: "b", status: "pending" },
  ];
  expect(items()).toEqual(list);
  expect(play("TodoWrite", { todos: [] }, { is_error: true })).toEqual([]);
  expect(play("TodoWrite", { todos: [] }, { parent: "c9" })).toEqual([
    { type: "todo", items: [], parent: "c9" },
  ]);
  expect(items()).toEqual(list);
  play("TodoWrite", { todos: [] });
  expect(items()).toEqual([]);
});

const created = (id: string): Played => ({ detail: { task: { id, subject: "s" } } });

test("items that are changed one by one are recorded as the complete list, which all agents share", () => {
  const { play, log, items } = stage();
  play("TaskCreate", { subject: "one", description: "d", activeForm: "doing one" }, created("1"));
  // A sub-agent's result has only words.
  const words = "Task #2 created successfully: two";
  expect(play("TaskCreate", { subject: "two" }, { output: words, parent: "c9" })).toEqual([
    {
      type: "todo",
      items: [
        { id: "1", content: "one", status: "pending", active_form: "doing one" },
        { id: "2", content: "two", status: "pending" },
      ],
    },
  ]);
  play("TaskUpdate", { taskId: "1", status: "in_progress" }, { detail: { success: true } });
  const update = { taskId: "2", subject: "zwei", status: "completed" };
  play("TaskUpdate", update, { output: "Updated task #2 subject, status", parent: "c9" });
  const list = [
    { id: "1", content: "one", status: "in_progress", active_form: "doing one" },
    { id: "2", content: "zwei", status: "completed" },
  ];
  expect(items()).toEqual(list);

  // What went wrong, or is not known, changes nothing.
  const failed = { detail: { success: false }, output: "Task not found" };
  expect(play("TaskUpdate", { taskId: "1", status: "completed" }, failed)).toEqual([]);
  expect(
    play("TaskUpdate", { taskId: "7", status: "completed" }, { detail: { success: true } }),
  ).toEqual([]);
  expect(play("TaskCreate", { subject: "x" }, { is_error: true })).toEqual([]);
  expect(play("TaskCreate", { subject: "x" }, { output: "other words" })).toEqual([]);
  expect(play("Bash", { command: "ls" })).toEqual([]);
  expect(items()).toEqual(list);

  // The CLI's own word of the whole, as after a resume, and of what it has dropped.
  const tasks = [
    { id: "1", subject: "one", status: "completed" },
    { id: "3", subject: "three", status: "pending" },
  ];
  play("TaskList", {}, { detail: { tasks } });
  expect(items()).toEqual([
    { id: "1", content: "one", status: "completed", active_form: "doing one" },
    { id: "3", content: "three", status: "pending" },
  ]);
  play("TaskUpdate", { taskId: "1", status: "deleted" }, { detail: { success: true } });
  expect(items()).toEqual([{ id: "3", content: "three", status: "pending" }]);

  // The CLI counts from one again.
  log({ type: "session_changed", session_id: "b", previous: "a" });
  expect(items()).toBeUndefined();
});
