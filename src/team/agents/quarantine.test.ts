import { expect, test } from "vitest";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
limits: { failed_starts: 2 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

test("an agent that cannot start is quarantined, lead and senders are informed, and `restart` brings it back", async () => {
  const team = await FakeTeam.up(
    yaml,
    { boss: async (_said, self) => (await self.send("coder", "do it", { wait: true })).text },
    { broken: ["coder"] },
  );
  // Accepted, as long as there is hope.
  const first = await team.ask("go");
  expect(first.text).toContain("coder is quarantined: it failed to start 2 times in a row.");
  expect(first.text).toContain("broken on purpose");
  expect(await team.until("notice", { fits: ({ level }) => level === "error" })).toMatchObject({
    agent: "coder",
    hint: expect.stringContaining("switchboard restart coder"),
  });
  await expect.poll(() => team.agent("boss").heard.join()).toContain("coder is quarantined");

  const second = await team.ask("go");
  expect(second.text).toContain("Error -32007 (agent_unavailable): coder is quarantined");
  expect(team.refusals()).toEqual(["agent_unavailable"]);
  await using client = await team.connect();
  expect(await client.request("status", {})).toMatchObject({
    agents: [{ id: "boss" }, { id: "coder", state: "quarantined" }],
  });

  team.agent("coder").isBroken = false;
  const since = team.told.length;
  await client.request("restart", { agent: "coder" });
  await team.until("agent_state", {
    since,
    fits: ({ agent, state }) => agent === "coder" && state === "ready",
  });
  // It did not sleep, and nothing failed.
  const shown = team.told
    .slice(since)
    .flatMap((event) => (event.type === "agent_state" && isCoder(event) ? [event.state] : []));
  expect(shown).toEqual(["starting", "ready"]);
  // The first asker got an error, so it gets no answer now.
  await team.until("message_moved", { since, fits: ({ step }) => step === "withdrawn" });
  expect((await team.ask("go")).text).toContain("done");
  expect(team.agent("coder").turns).toBe(1);
});

const isCoder = (event: { agent: string }): boolean => event.agent === "coder";

test("an agent that cannot start after hibernation tries again and does not go back to sleep", async () => {
  const sleepy = `${yaml}timeouts: { idle: 0.2 }\n`;
  const team = await FakeTeam.up(sleepy, {
    boss: async (said, self) =>
      said === "go" ? (await self.send("coder", "do it", { wait: true })).text : "ready",
  });
  await team.until("agent_state", {
    fits: (event) => isCoder(event) && event.state === "hibernated",
  });
  const since = team.told.length;
  team.agent("coder").isBroken = true;
  expect((await team.ask("go")).text).toContain("coder is quarantined");
  const states = team.told
    .slice(since)
    .flatMap((event) => (event.type === "agent_state" && isCoder(event) ? [event.state] : []));
  expect(states).toEqual(["starting", "restarting", "starting", "quarantined"]);
});
