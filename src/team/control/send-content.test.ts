import { expect, test } from "vitest";
import type { ContentBlock } from "../../wire/content.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const pictureOf = (bytes: number, fill = 7): ContentBlock => ({
  type: "image",
  source: {
    type: "base64",
    media_type: "image/png",
    data: Buffer.alloc(bytes, fill).toString("base64"),
  },
});

const ID = "5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11";
const question: ContentBlock = { type: "text", text: "What is this?" };

test("[TEAM-29] `send` brings a picture to the lead as it is, also after a restart; others have its words", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  await client.result("stop", { agent: "boss" });
  const content = [question, pictureOf(300_000)];
  expect(await client.result("send", { content, id: ID, to: "boss" })).toEqual({ id: ID });
  const { message } = await team.until("message_sent");
  expect(message.content).toBe("What is this?\n[image: image/png, 300000 bytes]");

  await team.stop();
  await team.start();
  const again = await PlainTeamClient.connect(team);
  await again.result("start", { agent: "boss" });
  const pushed = await team.agent("boss").session.until("message");
  expect(pushed).toMatchObject({ id: ID, content });
  await team.until("answered");
  expect(await again.result("message", { id: ID })).toMatchObject({ content, state: "done" });
  // Sent again it counts once; with another picture it is another message.
  expect(await again.result("send", { content, id: ID })).toEqual({ id: ID });
  const other = [question, pictureOf(300_000, 8)];
  expect(await again.refusal("send", { content: other, id: ID })).toMatchObject({
    data: { code: "message_conflict" },
  });
});

test("[TEAM-29] `send` refuses another recipient than the lead, text with content, and too much", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  expect(await client.refusal("send", { text: "go", to: "coder" })).toMatchObject({
    data: { code: "not_allowed", lead: "boss", hint: expect.stringContaining("boss") },
  });
  expect(await client.refusal("send", { text: "go", to: "nobody" })).toMatchObject({
    data: { code: "agent_not_found" },
  });
  for (const params of [{}, { text: "both", content: [question] }, { content: [] }]) {
    expect(await client.refusal("send", params)).toMatchObject({
      data: { code: "invalid_params" },
    });
  }
  const large = { content: [pictureOf(6_500_000)] };
  expect(await client.refusal("send", large)).toMatchObject({
    data: { code: "message_too_large", limit: 8_388_608 },
  });
  expect(team.told.filter(({ type }) => type === "message_sent")).toEqual([]);
});
