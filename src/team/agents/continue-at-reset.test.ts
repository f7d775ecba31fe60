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

/** The limit has reset: a turn of the session deals with what has waited for that. */
function goOn({ session }: FakeAgent, text: string): void {
  const planned = session.log.findLast(({ type }) => type === "continuation_planned");
  if (planned?.type !== "continuation_planned") throw new Error("Nothing waits.");
  const { id } = planned;
  const turn = { turn_id: `on-${id}`, messages: [...planned.messages, id] };
  session.continuation = undefined;
  session.happen({ type: "user_message", id, text: "Go on.", by: "continue-at-reset" });
  session.happen({ type: "turn_started", ...turn, cause: "message" });
  session.happen({ type: "message_seen", id });
  session.happen({ type: "text_delta", turn_id: turn.turn_id, block: 0, text });
  const spent = { usage: { input_tokens: 1, output_tokens: 0 }, cost_usd: 0, duration_ms: 1 };
  session.happen({ type: "done", ...turn, ...spent, stop_reason: "completed" });
}

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
  goOn(team.agent("boss"), "It is built.");
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
  goOn(team.agent("coder"), "It is coded.");
  expect(await answered).toMatchObject({
    text: expect.stringContaining("It is coded."),
    failed: false,
  });
});
