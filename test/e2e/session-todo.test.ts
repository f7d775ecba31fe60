import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";

/** A model that Claude Code offers tools for a list; to the newest it offers none. */
const LISTING_MODEL = "claude-sonnet-4-5";

const create = (subject: string) => ({
  name: "TaskCreate",
  input: { subject, description: subject },
});
const update = (taskId: string, status: string) => ({
  name: "TaskUpdate",
  input: { taskId, status },
});

test("the model's to-do list is sent whenever it changes, with both kinds of tools for it", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "plan" }, times: 1, tools: [create("one"), create("two")] },
      { when: { user: "work" }, times: 1, tools: [update("1", "in_progress")] },
      {
        when: { user: "write" },
        times: 1,
        tools: [
          {
            name: "TodoWrite",
            input: { todos: [{ content: "a", status: "pending", activeForm: "doing a" }] },
          },
        ],
      },
      { text: "I see." },
    ],
  });
  const talk = await Conversation.start(stage, { model: LISTING_MODEL });
  await talk.ask("plan");
  await talk.ask("work");
  expect(talk.all("todo").map(({ items }) => items)).toEqual([
    [{ id: "1", content: "one", status: "pending" }],
    [
      { id: "1", content: "one", status: "pending" },
      { id: "2", content: "two", status: "pending" },
    ],
    [
      { id: "1", content: "one", status: "in_progress" },
      { id: "2", content: "two", status: "pending" },
    ],
  ]);
  await talk.session.close("shutdown");

  const older = { CLAUDE_CODE_ENABLE_TASKS: "0" };
  const again = await Conversation.start(stage, { model: LISTING_MODEL, env: older });
  await again.ask("write");
  expect(again.all("todo").map(({ items }) => items)).toEqual([
    [{ content: "a", status: "pending", active_form: "doing a" }],
  ]);
});
