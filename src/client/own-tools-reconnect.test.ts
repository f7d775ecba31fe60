import { expect, onTestFinished, test } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import { connectSession } from "./connect-session.ts";

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };

test("[SES-87] a tool that ends while the connection is lost returns its result after the new offer", async () => {
  const session = await new FakeSession().start();
  const lost = Promise.withResolvers<void>();
  const client = await connectSession(session.path, {
    policy: soon,
    onConnection: ({ state }) => {
      if (state === "lost") lost.resolve();
    },
  });
  onTestFinished(() => client.close());
  const called = Promise.withResolvers<void>();
  const result = Promise.withResolvers<string>();
  await client.offerTools("n", [
    {
      name: "t",
      description: "d",
      inputSchema: { type: "object" },
      handler: () => {
        called.resolve();
        return result.promise;
      },
    },
  ]);
  const attach = Promise.withResolvers<void>();
  session.held = attach.promise;
  const deadline = "2026-11-18T12:00:00.000Z";
  const call = { type: "tool_call", call: "c1-1", namespace: "n", tool: "t", input: {}, deadline };
  for (const each of session.clients) each.say(call);
  await called.promise;
  session.told.length = 0;
  for (const each of session.clients) each.drop();
  await lost.promise;
  result.resolve("A");
  await result.promise;
  attach.resolve();
  await session.until("tool_return");
  expect(session.told).toMatchObject([
    { type: "attach" },
    { type: "offer_tools", running: ["c1-1"] },
    { type: "tool_return", call: "c1-1", text: "A" },
  ]);
});
