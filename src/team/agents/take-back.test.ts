import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

/** A team whose lead is in the middle of a turn, and what ends that. */
async function busyTeam() {
  const turn = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, {
    boss: (said) => (said === "go" ? turn.promise : `heard ${said}`),
  });
  const boss = team.agent("boss");
  boss.joins = false;
  const asked = team.ask("go");
  await team.until("turn_started");
  const client = await team.connect();
  const drop = (id: string) => client.request("drop", { id });
  const stateOf = async (id: string) => (await client.request("task", { id })).task.state;
  const end = async (): Promise<void> => {
    turn.resolve("done");
    await asked;
    await client.close();
  };
  return { team, boss, client, drop, stateOf, end };
}

test("[TEAM-33] `drop` takes back what waits in the lead's inbox, once, and its turn goes on", async () => {
  const { team, boss, client, drop, stateOf, end } = await busyTeam();
  const { id } = await client.request("send", { text: "later" });
  expect(await drop(id)).toEqual({ outcome: "dropped" });
  expect(await drop(id)).toEqual({ outcome: "dropped" });
  expect(await stateOf(id)).toBe("canceled");
  expect(await team.until("answered", { fits: (event) => event.id === id })).toMatchObject({
    failed: true,
  });
  await end();
  await team.until("message_moved", {
    fits: (event) => event.id === id && event.step === "withdrawn",
  });
  expect((await team.ask("hello")).text).toBe("heard hello");
  expect(boss.heard).toEqual(["go", "hello"]);
  expect(team.told.filter(({ type }) => type === "turn_ended")).toMatchObject([
    { stop_reason: "completed" },
    { stop_reason: "completed" },
  ]);
});

test("[TEAM-33] `drop` takes back what is in the queue of the lead's session, which is no dead letter", async () => {
  const { team, boss, client, drop, stateOf, end } = await busyTeam();
  const { id } = await client.request("send", { text: "at once", priority: "urgent" });
  await team.until("message_moved", {
    fits: (event) => event.id === id && event.step === "pushed",
  });
  expect(await drop(id)).toEqual({ outcome: "dropped" });
  await team.until("message_moved", {
    fits: (event) => event.id === id && event.step === "withdrawn",
  });
  expect(await stateOf(id)).toBe("canceled");
  expect(await drop(id)).toEqual({ outcome: "dropped" });
  await end();
  expect((await team.ask("hello")).text).toBe("heard hello");
  expect(boss.heard).toEqual(["go", "hello"]);
  expect((await team.running.teamRecords.bus.deadLetters.list()).items).toEqual([]);
});

test("[TEAM-33] `drop` takes back what a person said straight to the lead's session", async () => {
  const { team, boss, drop, end } = await busyTeam();
  const id = randomUUID();
  boss.session.happen({ type: "user_message", id, text: "beside the team", by: "anna" });
  await team.until("message_sent", { fits: ({ message }) => message.id === id });
  // The fake session has it in its log, and not in its queue.
  expect(await drop(id)).toEqual({ outcome: "too_late" });
  boss.queue({ type: "message", id, text: "beside the team", priority: "next", quiet: false });
  expect(await drop(id)).toEqual({ outcome: "dropped" });
  await team.until("task_changed", {
    fits: ({ task }) => task.id === id && ["canceled", "failed"].includes(task.state),
  });
  await end();
});

test("[TEAM-33] `drop` is too late for what the model has read, and ends no turn", async () => {
  const { team, client, drop, stateOf, end } = await busyTeam();
  const { tasks } = await client.request("tasks", {});
  const id = tasks[0]?.id ?? "";
  expect(await drop(id)).toEqual({ outcome: "too_late" });
  expect(await stateOf(id)).toBe("working");
  expect(team.told.filter(({ type }) => type === "turn_ended")).toEqual([]);
  // What was canceled when the model had it was not taken back.
  await client.request("cancel", { task: id });
  expect(await drop(id)).toEqual({ outcome: "too_late" });
  await end();
});

test("[TEAM-33] `drop` knows the user's messages alone", async () => {
  const { team, drop, end } = await busyTeam();
  await expect(drop(randomUUID())).rejects.toMatchObject({ code: "unknown_request" });
  await team.agent("boss").send("coder", "code");
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.to_agent === "coder",
  });
  await expect(drop(message.id)).rejects.toMatchObject({ code: "unknown_request" });
  await end();
});

test("`cancel` takes a request out of the session's queue, so that it starts no turn", async () => {
  const { team, boss, client, end } = await busyTeam();
  const { id } = await client.request("send", { text: "at once", priority: "urgent" });
  await team.until("message_moved", {
    fits: (event) => event.id === id && event.step === "pushed",
  });
  await client.request("cancel", { task: id });
  await team.until("message_moved", {
    fits: (event) => event.id === id && event.step === "withdrawn",
  });
  await end();
  expect((await team.ask("hello")).text).toBe("heard hello");
  expect(boss.heard).toEqual(["go", "hello"]);
});
