import { expect, test } from "vitest";
import { TeamView } from "../client/team-view.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const never = new Promise<never>(() => {});

const passesOn = {
  boss: async (said: string, self: { send: (to: string, what: string) => Promise<unknown> }) => {
    if (said.startsWith("go")) await self.send("coder", said);
    return "asked";
  },
};

async function clientOf(team: FakeTeam): Promise<PlainTeamClient> {
  const client = await PlainTeamClient.connect(team);
  await client.result("hello", { client: "anna" });
  return client;
}

const entering = (team: FakeTeam, state: string, since = 0): Promise<TeamEventOf<"agent_state">> =>
  team.until("agent_state", {
    since,
    fits: (event) => event.agent === "coder" && event.state === state,
  });

async function statusOfCoder(client: PlainTeamClient): Promise<Record<string, unknown>> {
  const { agents } = await client.result("status");
  return (agents as Record<string, unknown>[]).find(({ id }) => id === "coder") ?? {};
}

test("[TEAM-25] [TEAM-28] an agent that was stopped stays so over a restart of the team; its messages wait until it is started", async () => {
  const team = await FakeTeam.up(yaml, passesOn);
  const client = await clientOf(team);
  expect(await client.result("stop", { agent: "coder" })).toEqual({ agent: "coder" });
  const stopped = await entering(team, "stopped");
  expect(stopped).toMatchObject({ reason: "stopped by anna", since: expect.any(String) });
  const sent = await client.result("send", { text: "go on" });
  await team.until("message_sent", { fits: ({ message }) => message.to_agent === "coder" });
  expect(await statusOfCoder(client)).toMatchObject({ state: "stopped", inbox: 1 });

  await team.stop();
  const since = team.told.length;
  await team.start();
  const again = await clientOf(team);
  expect(await entering(team, "stopped", since)).toMatchObject({
    reason: "stopped by anna",
    since: stopped.since,
  });
  expect(await statusOfCoder(again)).toMatchObject({
    state: "stopped",
    reason: "stopped by anna",
    inbox: 1,
  });
  expect(team.agent("coder").heard).toEqual([]);

  expect(await again.result("start", { agent: "coder" })).toEqual({ agent: "coder" });
  await team.until("answered", { fits: ({ id }) => id === sent["id"] });
  expect(team.agent("coder").heard.join()).toContain("go on");
  await team.stop();
  await team.start();
  expect(team.running.agent("coder").state).toBe("ready");
});

test("[TEAM-25] an agent that is stopped in the middle of a turn takes its work up again when it is started", async () => {
  const held = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, { ...passesOn, coder: () => held.promise });
  const client = await clientOf(team);
  await client.result("send", { text: "go" });
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  await client.result("stop", { agent: "coder" });
  expect(await statusOfCoder(client)).toMatchObject({ state: "stopped" });
  await client.result("start", { agent: "coder" });
  held.resolve("done at last");
  await team.until("task_changed", {
    fits: ({ task }) => task.to_agent === "coder" && task.state === "completed",
  });
});

test("[TEAM-25] `restart` starts an agent that a person has stopped, and leaves one alone that runs", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await clientOf(team);
  await client.result("stop", { agent: "coder" });
  const since = team.told.length;
  expect(await client.result("restart", { agent: "coder" })).toEqual({ restarting: "coder" });
  await entering(team, "ready", since);
  await client.result("restart", { agent: "coder" });
  await team.running.teamRecords.timeline.flushed();
  const restarts = team.told.filter((event) => event.type === "agent_command");
  expect(restarts.map(({ command }) => command)).toEqual(["stop", "restart"]);
});

test("[TEAM-26] `hibernate` ends an agent that has nothing to do, and a message wakes it", async () => {
  const team = await FakeTeam.up(yaml, passesOn);
  const client = await clientOf(team);
  expect(await client.result("hibernate", { agent: "coder" })).toEqual({ agent: "coder" });
  await entering(team, "hibernated");
  await client.result("send", { text: "go" });
  await team.until("turn_ended", { fits: ({ agent }) => agent === "coder" });
});

test("[TEAM-26] `abort` ends the running turn, and `set` reaches the session", async () => {
  const team = await FakeTeam.up(yaml, { ...passesOn, coder: () => never });
  const client = await clientOf(team);
  await client.result("send", { text: "go" });
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  await client.result("abort", { agent: "coder" });
  expect(await team.until("turn_ended", { fits: ({ agent }) => agent === "coder" })).toMatchObject({
    stop_reason: "aborted",
  });

  const wanted = { agent: "coder", mode: "plan", model: "haiku", effort: null };
  expect(await client.result("set", wanted)).toEqual(wanted);
  const { session } = team.agent("coder");
  expect(await session.until("set_mode")).toMatchObject({ mode: "plan" });
  expect(await session.until("set_model")).toMatchObject({ model: "haiku" });
  expect(await session.until("set_thinking")).toMatchObject({ effort: null });
  await team.until("agent_command", { fits: ({ command }) => command === "set" });
  expect(team.told.filter((event) => event.type === "agent_command")).toMatchObject([
    { command: "abort", by: "anna" },
    { command: "set", by: "anna", ...wanted },
  ]);
});

test("[TEAM-26] `status` tells the mode of an agent that sleeps, also after a restart of the team, until the team file has another", async () => {
  const team = await FakeTeam.up(yaml, passesOn);
  const modeOf = async (): Promise<unknown> => {
    const { agents } = await (await clientOf(team)).result("status");
    return (agents as { id: string; mode: string }[]).find(({ id }) => id === "coder")?.mode;
  };
  const client = await clientOf(team);
  await client.result("set", { agent: "coder", mode: "plan" });
  await client.result("hibernate", { agent: "coder" });
  await team.stop();
  await team.start();
  expect(await modeOf()).toBe("plan");
  await team.stop();
  team.change(yaml.replace("coder: {", "coder: { permission_mode: acceptEdits,"));
  await team.start();
  expect(await modeOf()).toBe("acceptEdits");
});

const wrong = (state: string, hint: string) => ({
  data: { code: "wrong_state", agent_id: "coder", state, hint: expect.stringContaining(hint) },
});

test("[TEAM-27] a method that does not fit the agent's state, or an agent that is not there, is refused with a hint", async () => {
  const team = await FakeTeam.up(yaml, { ...passesOn, coder: () => never });
  const client = await clientOf(team);
  const refused = (method: string, params: object = {}) =>
    client.refusal(method, { agent: "coder", ...params });
  for (const method of ["stop", "start", "hibernate", "abort", "set", "restart"]) {
    const params = { agent: "nobody", ...(method === "set" && { mode: "plan" }) };
    expect(await client.refusal(method, params)).toMatchObject({
      data: { code: "agent_not_found", hint: expect.stringContaining("switchboard status") },
    });
  }
  expect(await refused("set")).toMatchObject({ data: { code: "invalid_params" } });
  expect(await refused("start")).toMatchObject(wrong("ready", "switchboard stop coder"));
  expect(await refused("abort")).toMatchObject(wrong("ready", "nothing to end"));

  await client.result("send", { text: "go" });
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  expect(await refused("hibernate")).toMatchObject(wrong("working", "switchboard abort coder"));
  await client.result("stop", { agent: "coder" });
  expect(await refused("stop")).toMatchObject(wrong("stopped", "switchboard start coder"));
  for (const method of ["hibernate", "abort", "set"]) {
    const params = method === "set" ? { model: "haiku" } : {};
    expect(await refused(method, params)).toMatchObject(wrong("stopped", "switchboard start"));
  }
});

test("[TEAM-28] `TeamView` has since when an agent is in its state, also from a team that did not say so", () => {
  const view = new TeamView();
  const at = "2026-01-02T00:00:00.000Z";
  const since = "2026-01-01T00:00:00.000Z";
  const state = { type: "agent_state", agent: "coder", state: "hibernated", at } as const;
  view.apply({ ...state, seq: 1 });
  expect(view.agents.get("coder")?.since).toBe(at);
  view.apply({ ...state, seq: 2, since });
  expect(view.agents.get("coder")?.since).toBe(since);
});
