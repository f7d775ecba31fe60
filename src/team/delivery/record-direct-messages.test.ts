import { expect, test } from "vitest";
import type { Stored } from "../../bus/bus.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { Task } from "../../wire/team/task.ts";
import { DirectMessages } from "./record-direct-messages.ts";

const id = "00000000-0000-4000-8000-000000000001";

/** What becomes of the task of a message that its session has dropped, in order. */
async function endsOf(by: string, isTakenBack: boolean): Promise<string[]> {
  const ends: string[] = [];
  const task = { id, from_agent: "user" } as Task;
  const direct = new DirectMessages({
    bus: { get: () => Promise.resolve({ state: "done" } as Stored) },
    tasks: {
      get: () => task,
      rowOf: () => {
        throw new Error("Nothing is recorded here.");
      },
      step(_id, state) {
        ends.push(state);
        return task;
      },
    },
    outbox: { record: () => Promise.reject(new Error("Nothing is recorded here.")) },
    replies: {
      giveUp(_task, why) {
        ends.push(why);
        return Promise.resolve();
      },
    },
  });
  const event = { id, reason: "dropped", by } as SessionEventOf<"message_dropped">;
  await direct.dropped(event, isTakenBack);
  return ends;
}

test("a message that a person has given to a session, and takes back through the team, ends its task as canceled", async () => {
  expect(await endsOf("switchboard", true)).toEqual([
    "canceled",
    "The session dropped it (dropped).",
  ]);
});

test("a message that somebody else drops in the session ends its task as failed", async () => {
  expect(await endsOf("bob", false)).toEqual(["The session dropped it (dropped)."]);
});
