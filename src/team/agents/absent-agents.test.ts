import { expect, test } from "vitest";
import { AgentRecord } from "./stored-agent-record.ts";
import { statusOf } from "../control/control-method-handlers.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const agent = (name: string): string => `\n  ${name}: { description: d, prompt: p }`;
const teamOf = (lead: string, ...others: string[]): string =>
  `lead: ${lead}\nagents:${[lead, ...others].map(agent).join("")}\n`;
const pair = teamOf("boss", "coder");

const never = new Promise<never>(() => {});

/** Starts the team again with another file. */
async function restartWith(team: FakeTeam, yaml: string): Promise<number> {
  await team.stop();
  const since = team.told.length;
  team.change(yaml);
  await team.start();
  return since;
}

const noticesOf = (team: FakeTeam, since: number): string[] =>
  team.told.slice(since).flatMap((event) => (event.type === "notice" ? [event.message] : []));

const untilEnded = (team: FakeTeam, title: string): Promise<TeamEventOf<"task_changed">> =>
  team.until("task_changed", {
    fits: ({ task }) => task.title === title && ["failed", "canceled"].includes(task.state),
  });

test("an agent that the team file leaves out keeps its conversation, and the timeline shows both changes", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "asked" });
  const conversation = { session_id: "s", log_id: "log-coder", confirmed: true };
  const noteOf = async () => {
    const record = new AgentRecord(team.running.teamRecords.bus.records, "coder");
    await record.load();
    return record.note;
  };
  const left = "coder is no longer in the team file: its conversation is kept.";
  expect(noticesOf(team, await restartWith(team, teamOf("boss")))).toEqual([left]);
  expect(await noteOf()).toMatchObject({ ...conversation, left: true });
  // Once is enough.
  expect(noticesOf(team, await restartWith(team, teamOf("boss")))).toEqual([]);

  const back = "coder is back and continues its conversation.";
  expect(noticesOf(team, await restartWith(team, pair))).toEqual([back]);
  expect(await noteOf()).toMatchObject({ ...conversation, left: false });
  expect(noticesOf(team, await restartWith(team, pair))).toEqual([]);
});

test("`resend` to an absent agent is refused and keeps the dead letter; it works once the agent is back", async () => {
  const held = Promise.withResolvers<string>();
  const team = await FakeTeam.up(pair, {
    boss: async (said, self) => {
      if (said !== "go") return "heard";
      await self.send("coder", "first");
      await self.send("coder", "second");
      return "asked";
    },
    coder: (said) => (said.includes("first") ? held.promise : "second is done"),
  });
  const answered = team.ask("go");
  const { message } = await team.until("message_sent", {
    fits: ({ message: sent }) => sent.content === "second",
  });
  const { id } = message;
  await team.until("turn_started", { fits: (event) => event.agent === "coder" });

  await restartWith(team, teamOf("boss"));
  await team.until("message_moved", { fits: (event) => event.id === id && event.step === "dead" });
  // The one that the agent worked on, and the one that waited for it.
  for (const title of ["first", "second"]) {
    expect((await untilEnded(team, title)).task.state).toBe("failed");
  }
  expect(await answered).toMatchObject({ text: "heard" });
  const client = await team.connect();
  await expect(client.request("resend", { id })).rejects.toMatchObject({
    code: "agent_not_found",
    hint: expect.stringContaining(`switchboard dlq resend ${id}`),
  });
  await client[Symbol.asyncDispose]();
  expect(await statusOf(team.running)).toMatchObject({ dead_letters: 1, open_tasks: 0 });

  held.resolve("too late");
  await restartWith(team, pair);
  expect(team.agent("coder").heard.join()).not.toContain("second");
  const again = await team.running.resend(id);
  await team.until("task_changed", {
    fits: ({ task }) => task.id === again?.id && task.state === "completed",
  });
  expect(await statusOf(team.running)).toMatchObject({ dead_letters: 0 });
});

test("a removed agent's own task fails at its asker at once, and the tasks that it gave are canceled", async () => {
  const trio = teamOf("boss", "coder", "tester");
  const team = await FakeTeam.up(trio, {
    boss: async (said, self) => {
      if (said !== "go") return said.includes("no longer an agent") ? "told" : "heard";
      await self.send("coder", "code");
      return "asked";
    },
    coder: async (_said, self) => {
      await self.send("tester", "test");
      return "asked";
    },
    tester: () => never,
  });
  const answered = team.ask("go");
  await team.until("task_changed", {
    fits: ({ task }) => task.title === "test" && task.state === "working",
  });
  await team.until("turn_ended", { fits: (event) => event.agent === "coder" });
  await restartWith(team, teamOf("boss", "tester"));
  expect((await untilEnded(team, "code")).task.state).toBe("failed");
  expect((await untilEnded(team, "test")).task.state).toBe("canceled");
  expect(await answered).toMatchObject({ text: "told", failed: false });
});

test("the user's request to a lead that was renamed fails at once, and the user gets an answer", async () => {
  const team = await FakeTeam.up(teamOf("boss", "chief"), { boss: () => never });
  const answered = team.ask("go");
  await team.until("turn_started");
  await restartWith(team, teamOf("chief"));
  expect(await answered).toMatchObject({
    failed: true,
    text: "boss is no longer an agent of this team.",
  });
  expect(team.running.teamRecords.tasks.open()).toEqual([]);
});
