import { expect, test } from "vitest";
import type { TaskState } from "../../wire/team/task.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
timeouts: { task: 60 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
  tester: { description: tests, prompt: p }
`;

const never = new Promise<never>(() => {});
const idOf = (said: string): string => /message id: ([0-9a-f-]+)/.exec(said)?.[1] ?? "";

/** The states that the tasks of this title have come to, in order. */
const endsOf = (team: FakeTeam, title: string): TaskState[] =>
  team.told.flatMap((event) =>
    event.type === "task_changed" && event.task.title === title ? [event.task.state] : [],
  );

test.for([
  ["task_complete", false, "completed"],
  ["task_failed", true, "failed"],
  ["error", true, "failed"],
] as const)(
  "an agent ends its task with %s, and its later text is no second answer",
  async ([type, isError, end]) => {
    const results: unknown[] = [];
    const team = await FakeTeam.up(yaml, {
      boss: async (_said, self) => {
        const result = await self.send("coder", "code", { wait: true });
        results.push(result);
        return "told";
      },
      coder: async (said, self) => {
        await self.send("boss", "in my own words", { type, reply_to: idOf(said) });
        return "and a last word";
      },
    });
    await team.ask("go");
    expect(results).toEqual([
      { isError, text: expect.stringMatching(/^Answer from coder .*\nin my own words$/) },
    ]);
    await team.until("turn_ended", { fits: ({ agent }) => agent === "coder" });
    expect(endsOf(team, "code")).toEqual(["submitted", "working", end]);
    const answers = team.told.filter(
      (event) => event.type === "message_sent" && event.message.from_agent === "coder",
    );
    expect(answers).toHaveLength(1);
  },
);

test("a `progress` message of any agent restarts the clock of a task, and starts no turn", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => (said === "go" ? (await self.send("coder", "code")).text : said),
    coder: () => never,
  });
  await team.running.send("go");
  const { task } = await team.until("task_changed", {
    fits: (event) => event.task.title === "code" && event.task.state === "working",
  });
  const silent = (): string[] =>
    team.running.teamRecords.tasks.silentFor(1000).map(({ title }) => title);
  await expect.poll(silent, { timeout: 20_000 }).toEqual(["code"]);
  // Not of the agent itself: its session would be a sign of life of its own.
  await team.agent("tester").send("boss", "nearly there", {
    type: "progress",
    metadata: { task_id: task.id },
  });
  expect(silent()).toEqual([]);
  await expect.poll(() => team.agent("boss").heard.join()).toContain("nearly there");
  expect(team.agent("boss").turns).toBe(1);
});

test("list_tasks returns the tasks that the agent has given and got, and no others", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => (said === "go" ? (await self.send("coder", "code")).text : said),
    coder: async (said, self) => {
      if (said.includes("code")) await self.send("tester", "test");
      return said.includes("code") ? "asked" : "done";
    },
    tester: () => never,
  });
  await team.running.send("go");
  await team.until("task_changed", {
    fits: ({ task }) => task.title === "test" && task.state === "working",
  });
  await team.until("turn_ended", { fits: ({ agent }) => agent === "coder" });
  const listOf = async (agent: string, all = false): Promise<string[]> => {
    const { text } = await team.agent(agent).call("list_tasks", { all });
    const { tasks } = JSON.parse(text) as {
      tasks: { title: string; from: string; to: string; state: string; parent: string | null }[];
    };
    return tasks
      .map(
        ({ title, from, to, state, parent }) =>
          `${title}: ${from} to ${to}, ${state}${parent === null ? "" : ", a part"}`,
      )
      .toSorted();
  };
  expect(await listOf("boss")).toEqual([
    "code: boss to coder, working, a part",
    "go: user to boss, working",
  ]);
  expect(await listOf("tester")).toEqual(["test: coder to tester, working, a part"]);
  const part = team.running.teamRecords.tasks.openOf("tester")[0]?.id ?? "";
  await team.running.cancel(part, "a person");
  await expect.poll(() => listOf("tester")).toEqual([]);
  expect(await listOf("tester", true)).toEqual(["test: coder to tester, canceled, a part"]);
});
