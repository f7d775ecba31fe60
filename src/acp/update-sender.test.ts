import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { UpdateSender } from "./update-sender.ts";

const chunk = (text: string, messageId = "m"): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId,
});
const plan: SessionUpdate = { sessionUpdate: "plan", entries: [] };

/** A sender whose clock stands until the test moves it. */
function sender() {
  let nowMs = 0;
  const timers: [at: number, callback: () => void][] = [];
  const sent: SessionUpdate[] = [];
  const clock = {
    now: () => nowMs,
    after: (ms: number, callback: () => void) => void timers.push([nowMs + ms, callback]),
  };
  const deliver = (update: SessionUpdate) => {
    sent.push(update);
    return Promise.resolve();
  };
  const move = (ms: number): void => {
    nowMs += ms;
    for (const [, callback] of timers.splice(0).filter(([at]) => at <= nowMs)) callback();
  };
  return { to: new UpdateSender(deliver, clock), sent, move };
}

test("`UpdateSender` sends the first piece of a text at once and gathers those that follow it", async () => {
  const { to, sent, move } = sender();
  for (const text of ["a", "b", "c"]) to.push(chunk(text));
  expect(sent).toEqual([chunk("a")]);
  move(15);
  expect(sent).toEqual([chunk("a"), chunk("bc")]);
  move(20);
  to.push(chunk("d"));
  expect(sent.at(-1)).toEqual(chunk("d"));
  to.push(chunk("e"));
  await to.flushed();
  expect(sent.at(-1)).toEqual(chunk("e"));
});

test("`UpdateSender` keeps the order, and joins nothing that does not belong together", () => {
  const { to, sent } = sender();
  const all = [chunk("a"), chunk("b"), chunk("c", "other"), plan, chunk("d", "other")];
  for (const update of all) to.push(update);
  void to.flushed();
  expect(sent).toEqual(all);
});
