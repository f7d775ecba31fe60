import { expect, test, vi } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import type { Task, TaskState } from "../../wire/team/task.ts";
import type { FakeAgent } from "../../../test/support/fake-agent.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const teamOf = (timeouts = "{ task: 60 }"): string => `
lead: boss
timeouts: ${timeouts}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
  tester: { description: tests, prompt: p }
`;

const never = new Promise<never>(() => {});
const idIn = (text: string): string => /"task_id":"([^"]+)"/.exec(text)?.[1] ?? "";

/** The states that a task has gone through, by its title. */
const statesOf = (team: FakeTeam, title: string): TaskState[] =>
  team.told.flatMap((event) =>
    event.type === "task_changed" && event.task.title === title ? [event.task.state] : [],
  );

const untilTask = async (team: FakeTeam, title: string, state: TaskState): Promise<Task> =>
  (
    await team.until("task_changed", {
      fits: ({ task }) => task.title === title && task.state === state,
    })
  ).task;

/** Those whose time would be running out, were the limit no time at all. */
const onTheClock = ({ running }: FakeTeam): string[] =>
  running.teamRecords.tasks.silentFor(0).map(({ title }) => title);

/** Asks for code, for a test that depends on it, and for one that depends on nothing known. */
const asking = async (said: string, self: FakeAgent): Promise<string> => {
  if (!said.startsWith("go")) return "heard";
  const code = await self.send("coder", "code");
  const depends_on = [idIn(code.text)];
  await self.send("tester", "test", { metadata: { depends_on } });
  const unknown = { depends_on: ["11111111-1111-4111-8111-111111111111"] };
  const refused = await self.send("tester", "never", { metadata: unknown });
  return refused.text;
};

test("a task waits for its dependencies without using up its time, and fails with them", async () => {
  const coded = Promise.withResolvers<string>();
  const team = await FakeTeam.up(teamOf(), { boss: asking, coder: () => coded.promise });
  const answer = team.ask("go");
  await untilTask(team, "code", "working");
  await team.until("refused");
  expect(onTheClock(team)).toEqual(["code"]);
  expect(statesOf(team, "test")).toEqual(["submitted"]);
  expect(team.agent("tester").turns).toBe(0);
  expect(team.refusals()).toEqual(["invalid_params"]);
  coded.resolve("coded");
  await answer;
  expect(statesOf(team, "test")).toEqual(["submitted", "working", "completed"]);

  team.agent("coder").brain = () => never;
  await team.running.send("go again");
  await team.until("task_changed", { fits: ({ task }) => task.title === "go again" });
  const again = await team.until("task_changed", {
    since: team.told.findIndex((event) => event.type === "answered"),
    fits: ({ task }) => task.title === "code" && task.state === "working",
  });
  await team.running.cancel(again.task.id, "a person");
  await team.until("message_moved", { fits: ({ step }) => step === "dead" });
  await untilTask(team, "test", "failed");
  expect(team.agent("tester").turns).toBe(1);
});

test("a task cannot depend on the task that it is a part of", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: async (_said, self) => (await self.send("coder", "code", { wait: true })).text,
    coder: async (said, self) => {
      const whole = /message id: ([0-9a-f-]+)/.exec(said)?.[1] ?? "";
      return (await self.send("tester", "test", { metadata: { depends_on: [whole] } })).text;
    },
  });
  expect((await team.ask("go")).text).toContain("is what this one is a part of");
});

test("`cancel` ends a task with its parts: it interrupts turns and withdraws waiting messages", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: async (_said, self) => (await self.send("coder", "code", { wait: true })).text,
    coder: async (said, self) => {
      await self.send("tester", "test");
      return never;
    },
    tester: () => never,
  });
  const asked = team.ask("go");
  await untilTask(team, "test", "working");
  // One that waits in the inbox of an agent that is busy.
  await using client = await team.connect();
  const waiting = await team.agent("boss").send("tester", "one more test");
  const id = await idOfTask(team, "go");
  await client.request("cancel", { task: idIn(waiting.text) });
  // Its end joins the boss's turn. If that turn were over, the boss would begin another one, and ask the coder again.
  await team.until("message_moved", {
    fits: ({ step, from_agent }) => step === "seen" && from_agent === "switchboard",
  });
  await client.request("cancel", { task: id });
  expect(await asked).toMatchObject({ failed: true, text: expect.stringContaining("canceled by") });
  const titles = ["go", "code", "test", "one more test"];
  expect(titles.map((title) => statesOf(team, title).at(-1))).toEqual(titles.map(() => "canceled"));
  await team.until("message_moved", { fits: ({ step }) => step === "withdrawn" });
  const ends = team.told.flatMap((event) =>
    event.type === "turn_ended" ? [event.stop_reason] : [],
  );
  expect(ends).toEqual(["aborted", "aborted", "aborted"]);
  expect(await client.request("tasks", {})).toEqual({ tasks: [] });
  // The news of it start no turn.
  expect(team.agent("coder").turns).toBe(1);
  expect(team.agent("tester").turns).toBe(1);
});

test("`cancel` takes an answer to a part of the task out of the session's queue, so that it starts no turn", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: async (said, self) => {
      if (said === "hello") return "I am here.";
      await self.send("coder", "code");
      return never;
    },
    coder: () => "It is coded.",
  });
  const boss = team.agent("boss");
  boss.joins = false;
  const asked = team.ask("go");
  const pushed = await team.until("message_moved", {
    fits: ({ step, from_agent }) => step === "pushed" && from_agent === "coder",
  });
  await team.running.cancel(await idOfTask(team, "go"), "a person");
  expect(await asked).toMatchObject({ failed: true, text: expect.stringContaining("canceled by") });
  const withdrawn = await team.until("message_moved", {
    fits: ({ id, step }) => id === pushed.id && step === "withdrawn",
  });
  expect(withdrawn).toMatchObject({ reason: "its task was canceled" });
  expect((await team.ask("hello")).text).toBe("I am here.");
  expect(boss.turns).toBe(2);
  expect(boss.heard.join()).not.toContain("It is coded.");
  const { items } = await team.running.teamRecords.bus.deadLetters.list();
  expect(items).toEqual([]);
});

test("`cancel` of a task that is answered meanwhile changes nothing, and the next turn goes on", async () => {
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const team = await FakeTeam.up(teamOf(), {
    boss: (said) => (said === "one" ? first.promise : second.promise),
  });
  const { bus } = team.running.teamRecords;
  const one = await team.running.send("one");
  await team.until("turn_started");
  const two = await team.running.send("two");
  const since = team.told.length;
  const get = bus.get.bind(bus);
  // The bus is slow in this moment.
  vi.spyOn(bus, "get").mockImplementationOnce(async (id) => {
    const found = await get(id);
    await team.until("turn_started", { since });
    return found;
  });
  const canceled = team.running.cancel(one, "a person");
  first.resolve("one is done");
  expect(await canceled).toBe(false);
  second.resolve("two is done");
  await team.until("answered", { fits: ({ id }) => id === two });
  const answers = team.told.filter(({ type }) => type === "answered");
  expect(answers).toMatchObject([
    { id: one, text: "one is done", failed: false },
    { id: two, text: "two is done", failed: false },
  ]);
});

const idOfTask = async (team: FakeTeam, title: string): Promise<string> =>
  (await untilTask(team, title, "working")).id;

test("a silent task times out, and a waiting call learns of that first", async () => {
  const team = await FakeTeam.up(teamOf("{ task: 2 }"), {
    boss: async (said, self) => {
      if (!said.startsWith("be silent")) return said;
      return (await self.send("coder", "code", { wait: true })).text;
    },
    coder: () => never,
  });
  const silent = await team.ask("be silent");
  // In the result of the call, or as a message of its own: wait and task have the same time.
  expect(silent.text).toContain("Nothing was heard of coder");
  expect(silent.failed).toBe(false);
  const { outcome } = await untilTask(team, "code", "timed_out");
  expect(outcome).toContain("Nothing was heard of coder");
});

test("ends of tasks that cannot be sent are tried again in turn, and the trouble is reported once", async () => {
  const team = await FakeTeam.up(teamOf("{ task: 1 }"), {
    boss: async (said, self) => (said === "go" ? (await self.send("coder", "code")).text : "heard"),
    coder: () => never,
  });
  const { bus } = team.running.teamRecords;
  await team.running.send("go");
  await untilTask(team, "code", "working");
  const counts = { tries: 0, open: 0, mostOpen: 0 };
  const send = bus.send.bind(bus);
  vi.spyOn(bus, "send").mockImplementation(async (message, options) => {
    if (message.type !== "error" || counts.tries === 3) return send(message, options);
    counts.tries += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    // Longer than until the next look.
    await new Promise((resolve) => setTimeout(resolve, 700));
    counts.open -= 1;
    throw errorOf("disk_full", "No room.");
  });
  await untilTask(team, "code", "timed_out");
  expect(counts).toEqual({ tries: 3, open: 0, mostOpen: 1 });
  const notices = team.told.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(notices).toEqual(["A time-out was not told: No room."]);
});

test("a task shows that a person has to decide, and its clock stands still meanwhile", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: (_said, self) => self.askLeave("Bash", { command: "rm -rf /" }),
  });
  const asked = team.ask("ask a person");
  await untilTask(team, "ask a person", "input_required");
  expect(onTheClock(team)).toEqual([]);
  await using client = await team.connect();
  const { approvals } = (await client.request("approvals", {})) as {
    approvals: { agent: string; request: { request_id: string } }[];
  };
  expect(approvals).toMatchObject([{ agent: "boss", request: { tool: "Bash" } }]);
  await client.request("deny", { request_id: approvals[0]?.request.request_id ?? "" });
  expect(await asked).toMatchObject({ failed: false, text: "denied" });
  expect(statesOf(team, "ask a person")).toEqual([
    "submitted",
    "working",
    "input_required",
    "working",
    "completed",
  ]);
});

test("a wait's clock stands still while any agent below needs a person, also without a wait between", async () => {
  const team = await FakeTeam.up(teamOf("{ task: 5 }"), {
    boss: async (said, self) =>
      said === "go" ? (await self.send("coder", "code", { wait: true })).text : said,
    // It does not wait for its part: it goes on when the answer comes.
    coder: async (said, self) =>
      said.includes("code") ? (await self.send("tester", "test")).text : `coded, ${said}`,
    tester: (_said, self) => self.askLeave("Bash", { command: "rm -rf /" }),
  });
  const asked = team.ask("go");
  const { request } = await team.until("approval_requested");
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await using client = await team.connect();
  await client.request("approve", { request_id: request.request_id });
  expect((await asked).text).toMatch(/^Answer from coder [^]*coded, [^]*allowed/);
  expect(
    team.told.some((event) => event.type === "task_changed" && event.task.state === "timed_out"),
  ).toBe(false);
});

test("an agent gets a list of its open work after a compaction, without a turn", async () => {
  const end = Promise.withResolvers<string>();
  const team = await FakeTeam.up(teamOf(), { boss: () => end.promise });
  const asked = team.ask("a long piece of work");
  await untilTask(team, "a long piece of work", "working");
  const { session, heard } = team.agent("boss");
  session.happen({ type: "compacted", pre_tokens: 100, trigger: "auto" });
  await session.until("message", { fits: ({ from }) => from === "switchboard" });
  await expect.poll(() => heard.at(-1)).toContain("a long piece of work");
  expect(heard.at(-1)).toContain("You still have these open tasks");
  end.resolve("done");
  await asked;
  expect(team.agent("boss").turns).toBe(1);
});
