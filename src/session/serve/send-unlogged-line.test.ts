import { expect, test } from "vitest";
import type { SessionAnswer } from "../../wire/session/answers.ts";
import { NewestLine } from "./send-unlogged-line.ts";

/** A client that reads when the test says so, and the list that it is told about. */
function stage(onSend: (answer: SessionAnswer) => void = () => {}) {
  let names = ["ann"];
  const sent: SessionAnswer[] = [];
  let reads = Promise.withResolvers<void>();
  const line = new NewestLine(
    () => ({ type: "clients", clients: names.map((client) => ({ client, read_only: false })) }),
    {
      drained: () => reads.promise,
      send: async (answer) => {
        sent.push(answer);
        onSend(answer);
        reads = Promise.withResolvers();
      },
    },
  );
  return {
    line,
    sent,
    set: (...list: string[]) => (names = list),
    read: async () => {
      reads.resolve();
      await new Promise((resolve) => void setImmediate(resolve));
    },
    fail: () => reads.reject(new Error("gone")),
  };
}

const clients = (...names: string[]) => ({
  type: "clients",
  clients: names.map((client) => ({ client, read_only: false })),
});

test("NewestLine tells a slow client the newest version only, and none that it knows", async () => {
  const { line, sent, read } = stage();
  line.know();
  line.announce();
  await read();
  expect(sent).toEqual([]);
  const slow = stage();
  slow.line.know();
  slow.set("bob");
  slow.line.announce();
  slow.set("bob", "cid");
  slow.line.announce();
  await slow.read();
  expect(slow.sent).toEqual([clients("bob", "cid")]);
});

test("NewestLine tells a change that comes while the version before is being sent", async () => {
  const { line, sent, set, read } = stage((answer) => {
    if (JSON.stringify(answer).includes("bob")) return;
    set("bob");
    line.announce();
  });
  line.announce();
  await read();
  await read();
  expect(sent).toEqual([clients("ann"), clients("bob")]);
});

test("NewestLine sends nothing to a client that has left, and goes on without an error", async () => {
  const stopped = stage();
  stopped.line.announce();
  stopped.line.stop();
  await stopped.read();
  expect(stopped.sent).toEqual([]);
  const gone = stage();
  gone.line.announce();
  gone.fail();
  await gone.read();
  expect(gone.sent).toEqual([]);
});
