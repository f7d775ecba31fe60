import { expect, test } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import { openMemoryBus } from "../../bus/memory/open-memory-bus.ts";
import { pendingQuestions } from "./open-waits.ts";

test("pendingQuestions finds an unread question behind any number of other messages", async () => {
  const bus = openMemoryBus();
  const [first, ...others] = Array.from({ length: 102 }, () => messageOf());
  if (!first) throw new Error("There is no first.");
  const { root_id } = first;
  await bus.send(first);
  for (const other of others) await bus.send({ ...other, root_id });
  for (const read of await bus.claim("coder", { max: 101 })) await read.ack();
  const wait = { waiter: "coder", awaited: "boss", root_id, asks: true };
  const found = await pendingQuestions(bus, wait, () => false);
  expect(found.map(({ id }) => id)).toEqual([others.at(-1)?.id]);
});
