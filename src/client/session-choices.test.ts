import { expect, onTestFinished, test, vi } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import type { Choices } from "../wire/session/choices.ts";
import type { ConnectOptions } from "./connect-session.ts";
import { connectSession } from "./connect-session.ts";

async function connectTo(session: FakeSession, options: ConnectOptions = {}) {
  const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };
  const client = await connectSession(session.path, { policy: soon, ...options });
  onTestFinished(() => client.close());
  return client;
}

test("[SES-63] SessionClient.choices has the lists of the newest line, and onChoices is called with them", async () => {
  const session = await new FakeSession().start();
  session.slashCommands = [{ name: "compact" }];
  const onChoices = vi.fn<(choices: Choices) => void>();
  const client = await connectTo(session, { onChoices });
  expect(client.choices.slash_commands).toEqual([{ name: "compact" }]);
  const models = [{ id: "sonnet", label: "Sonnet", efforts: ["low" as const] }];
  for (const each of session.clients) {
    each.say({ type: "choices", models, modes: ["plan"], slash_commands: [{ name: "new" }] });
  }
  const newer = { models, modes: ["plan"], slash_commands: [{ name: "new" }] };
  await expect.poll(() => client.choices).toEqual(newer);
  expect(onChoices).toHaveBeenCalledExactlyOnceWith(newer);

  // A session that was started again has lists of its own.
  await session.stop();
  session.slashCommands = [{ name: "later" }];
  await session.start();
  await expect.poll(() => client.choices.slash_commands).toEqual([{ name: "later" }]);
  expect(client.choices.models).toBeUndefined();
});

test("[SES-64] [SES-65] [SES-66] SessionClient completes files, renames, and sets servers", async () => {
  const session = await new FakeSession().start();
  const items = [{ path: "a.ts", kind: "file" }];
  const servers = [{ name: "docs", outcome: "added" }];
  session.onCommand = (command, client) => {
    const { ref } = command;
    if (command.type === "complete") client.say({ type: "completions", ref, items, more: false });
    else if (command.type === "set_mcp_servers") client.say({ type: "ok", ref, servers });
    else client.answer(command, "ok");
  };
  const client = await connectTo(session);
  expect(await client.completeFile("a", { limit: 5 })).toMatchObject({ items, more: false });
  await client.rename("The parser");
  expect(await client.setMcpServers({ docs: { command: "docs" } })).toEqual(servers);
  expect(session.told.slice(1)).toMatchObject([
    { type: "complete", kind: "file", prefix: "a", limit: 5 },
    { type: "rename", title: "The parser" },
    { type: "set_mcp_servers", servers: { docs: { command: "docs" } } },
  ]);
});
