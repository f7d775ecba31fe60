import * as fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import type { Task } from "../../wire/team/task.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { Subject } from "./turn-tasks.ts";
import { mayJoin, subjectOf, tasksOfTurn } from "./turn-tasks.ts";

const request = (task: string): Subject => ({ kind: "request", task });
const answer = (task?: string): Subject => ({ kind: "answer", task });

test("mayJoin lets an answer join a turn about its own task, and no other turn", () => {
  const turn = tasksOfTurn([request("A")]);
  expect(mayJoin(answer("A"), turn)).toBe(true);
  expect(mayJoin(answer("B"), turn)).toBe(false);
  expect(mayJoin(answer(), turn)).toBe(false);
  expect(mayJoin(answer(), tasksOfTurn([]))).toBe(false);
  expect(mayJoin({ kind: "other" }, turn)).toBe(true);
  expect(mayJoin(request("B"), turn)).toBe(true);
});

test("tasksOfTurn counts the task of a turn that was cut short", () => {
  const turn = tasksOfTurn([request("urgent")], ["A"]);
  expect([...turn].toSorted()).toEqual(["A", "urgent"]);
  expect(mayJoin(answer("A"), turn)).toBe(true);
});

test("subjectOf says of an answer, a failure and an error of the team which task they belong to", async () => {
  const asked = messageOf();
  const part = { id: asked.id, parent: "A" } as Task;
  const tasks = {
    find: (id: string) => Promise.resolve(id === part.id ? part : undefined),
  };
  const of = (more: Partial<CCMessage>): Promise<Subject> => subjectOf(messageOf(more), tasks);
  const reply_to = asked.id;
  for (const type of ["task_response", "task_complete", "task_failed", "error"] as const) {
    expect(await of({ type, reply_to })).toEqual(answer("A"));
  }
  expect(await of({ type: "task_response", reply_to: "unknown" })).toEqual(answer());
  expect(await of({ type: "error", reply_to: null })).toEqual({ kind: "other" });
  expect(await of({ type: "progress", reply_to })).toEqual({ kind: "other" });
  expect(await subjectOf(asked, tasks)).toEqual(request(asked.id));
});

/** What an agent gets, in any order: requests that wait for the end of a turn, and answers. */
const arrivals = fc.array(
  fc.oneof(
    fc.constantFrom("A", "B", "C").map(request),
    fc.option(fc.constantFrom("A", "B", "C"), { nil: undefined }).map(answer),
    fc.constant("turn ends" as const),
  ),
  { maxLength: 40 },
);

test("a turn that starts with one message and takes only what may join is about one task at most", () => {
  fc.assert(
    fc.property(arrivals, (steps) => {
      const inbox: Subject[] = [];
      let turn: Subject[] = [];
      let delivered = 0;
      let arrived = 0;
      const give = (): void => {
        for (const subject of inbox.splice(0)) {
          const joins = subject.kind === "answer" && mayJoin(subject, tasksOfTurn(turn));
          if (turn.length > 0 && !joins) inbox.push(subject);
          else turn.push(subject);
        }
      };
      const endTurn = (): void => {
        expect(tasksOfTurn(turn).size).toBeLessThanOrEqual(1);
        delivered += turn.length;
        turn = [];
      };
      for (const step of steps) {
        if (step === "turn ends") endTurn();
        else {
          inbox.push(step);
          arrived += 1;
        }
        give();
      }
      // Nothing is held for ever.
      while (turn.length > 0) {
        endTurn();
        give();
      }
      expect({ delivered, left: inbox.length }).toEqual({ delivered: arrived, left: 0 });
    }),
  );
});
