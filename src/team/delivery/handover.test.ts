import { expect, test } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import type { Delivery } from "../../bus/bus.ts";
import { Handover } from "./handover.ts";
import type { WaitEnd } from "./waits.ts";
import { Waits } from "./waits.ts";

const question = messageOf({ id: "q", from_agent: "coder", to_agent: "boss", root_id: "r" });

function boss(openCalls: readonly string[]) {
  const waits = new Waits();
  const ends: WaitEnd[] = [];
  waits.add({
    waiter: "boss",
    awaited: "coder",
    root_id: "r",
    asks: true,
    messageId: "m",
    alsoFor: [],
    toolUseId: "call",
    end: (end) => void ends.push(end),
  });
  return { ends, handover: new Handover(waits, (call) => openCalls.includes(call)) };
}

test("a question that a call has, and that is claimed as well, is with that call and goes nowhere else", () => {
  const { ends, handover } = boss(["call"]);
  expect(handover.give(question)).toBe(true);
  const delivery = { message: question } as Delivery;
  expect(handover.give(question, delivery)).toBe(true);
  expect(handover.give(question)).toBe(true);
  expect(ends).toHaveLength(1);
  expect(handover.ended("call")).toMatchObject([{ message: question, delivery }]);
  expect(handover.release()).toEqual([]);
});

test("nothing is handed to a call that is over, though its wait is not", () => {
  const { ends, handover } = boss([]);
  expect(handover.give(question)).toBe(false);
  expect(ends).toEqual([]);
  expect(handover.release()).toEqual([]);
});
