import { expect, test } from "vitest";
import type { FakeAgent } from "../../../test/support/fake-agent.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
timeouts: { task: 1 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const due = "2026-11-20T14:05:00.000Z";
const waits = async (_said: string, self: FakeAgent): Promise<string> => self.waitForReset(due);

const continuesAt = async (team: FakeTeam, id: string): Promise<string | undefined> => {
  await using client = await team.connect();
  const { agents } = await client.request("status", {});
  return agents.find((agent) => agent.id === id)?.continues_at;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("[TEAM-34] a task that waits for the reset of a limit does not time out, and is answered after it, over a restart", async () => {
  const team = await FakeTeam.up(yaml, { boss: waits });
  const answered = team.ask("build");
  await expect.poll(() => continuesAt(team, "boss")).toBe(due);
  // Longer than an agent may be silent.
  await pause(1_500);
  expect(team.told.filter(({ type }) => type === "answered")).toEqual([]);
  await team.stop();
  await team.start();
  expect(await continuesAt(team, "boss")).toBe(due);
  team.agent("boss").goOn("It is built.");
  expect(await answered).toMatchObject({ text: "It is built.", failed: false });
  expect(await continuesAt(team, "boss")).toBeUndefined();
});

test("[TEAM-34] an agent that waits for another one's reset gets its answer after it", async () => {
  const brains = {
    boss: async (_said: string, self: FakeAgent) =>
      (await self.send("coder", "code it", { wait: true })).text,
    coder: waits,
  };
  const team = await FakeTeam.up(yaml, brains);
  const answered = team.ask("build");
  await expect.poll(() => continuesAt(team, "coder")).toBe(due);
  await pause(1_500);
  team.agent("coder").goOn("It is coded.");
  expect(await answered).toMatchObject({
    text: expect.stringContaining("It is coded."),
    failed: false,
  });
});
