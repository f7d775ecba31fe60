import { expect, test } from "vitest";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const teamOf = (budget: string, ofCoder = ""): string => `
lead: boss
budget: ${budget}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p${ofCoder} }
`;

/** Delegates, and says what came of it. */
const delegating = {
  boss: async (_said: string, self: { send: FakeSend }) =>
    (await self.send("coder", "write it", { wait: true })).text,
};
type FakeSend = (
  to: string,
  content: string,
  more?: Record<string, unknown>,
) => Promise<{ text: string }>;

test("an agent whose turns are spent gets no more work, its sender gets an error, and other agents go on", async () => {
  const team = await FakeTeam.up(teamOf("{}", ", budget: { turns: 1 }"), delegating);
  expect(await team.ask("one")).toMatchObject({
    failed: false,
    text: expect.stringMatching(/done/),
  });
  const second = await team.ask("two");
  expect(second.text).toContain("Error -32006 (budget_spent): coder has spent 1 turns of 1 turns.");
  expect(second.failed).toBe(false);
  expect(team.refusals()).toEqual(["budget_spent"]);
  expect(team.agent("coder").turns).toBe(1);
});

test("the user's message is refused when the team's dollars or tokens are spent", async () => {
  for (const budget of ["{ usd: 0.02 }", "{ tokens: 20 }"]) {
    const team = await FakeTeam.up(teamOf(budget), delegating);
    await team.ask("one");
    await expect(team.running.send("two")).rejects.toMatchObject({ code: "budget_spent" });
    await using client = await team.connect();
    await expect(client.request("send", { text: "three" })).rejects.toMatchObject({
      code: "budget_spent",
      data: { whose: "The team" },
    });
    await expect
      .poll(() => team.refusals(), { timeout: 20_000 })
      .toEqual(["budget_spent", "budget_spent"]);
    expect(await client.request("status", {})).toMatchObject({ refusals: 2 });
    expect(team.agent("boss").turns + team.agent("coder").turns).toBe(2);
  }
});

test("a task's budget pays for its parts, and not for another task", async () => {
  const team = await FakeTeam.up(teamOf("{ task: { turns: 2 } }"), {
    boss: async (_said, self) => {
      const first = await self.send("coder", "one", { wait: true });
      const second = await self.send("coder", "two", { wait: true });
      const third = await self.send("coder", "three", { wait: true });
      return [first, second, third].map(({ isError }) => (isError ? "refused" : "done")).join();
    },
  });
  expect((await team.ask("first task")).text).toBe("done,done,refused");
  const [refused] = team.told.filter((event) => event.type === "refused");
  expect(refused).toMatchObject({ error: { data: { whose: 'The task "first task"' } } });
  expect((await team.ask("second task")).text).toBe("done,done,refused");
});

test("a lead that delegates for ever ends at most one turn over its budget", async () => {
  const team = await FakeTeam.up(
    `
lead: boss
agents:
  boss: { description: leads, prompt: p, budget: { turns: 3 } }
  coder: { description: codes, prompt: p }
`,
    {
      // Each answer makes it ask again.
      boss: async (_said, self) => (await self.send("coder", "once more")).text,
      coder: () => "here it is",
    },
  );
  expect((await team.ask("go")).text).toContain("budget_spent");
  expect(team.agent("boss").turns).toBe(4);
  expect(team.refusals()).toEqual(["budget_spent"]);
});

test("many answers to an agent without a budget left start one last turn with all of them", async () => {
  const free = Promise.withResolvers<string>();
  const team = await FakeTeam.up(
    `
lead: boss
agents:
  boss: { description: leads, prompt: p, budget: { turns: 1 } }
  a: { description: works, prompt: p }
  b: { description: works, prompt: p }
  c: { description: works, prompt: p }
`,
    {
      boss: async (said, self) => {
        if (said !== "go")
          return self.heard.filter((text) => text.includes("is done")).length.toString();
        for (const id of ["a", "b", "c"]) await self.send(id, "do it");
        return "asked";
      },
      a: async () => `a ${await free.promise}`,
      b: async () => `b ${await free.promise}`,
      c: async () => `c ${await free.promise}`,
    },
  );
  const asked = team.ask("go");
  await team.until("turn_ended", { fits: ({ agent }) => agent === "boss" });
  free.resolve("is done");
  expect(await asked).toMatchObject({ text: "3", failed: false });
  expect(team.agent("boss").turns).toBe(2);
});

test("a turn is paid for once, although the team reads its end twice", async () => {
  const team = await FakeTeam.up(teamOf("{}"), delegating);
  await team.ask("one");
  // As if the note of what is settled had not been written before a crash.
  for (const agent of team.running.agents.values()) await agent.record.save({ since: 0 });
  await team.stop();
  await team.start();
  await team.ask("two");
  await using client = await team.connect();
  expect(await client.request("status", {})).toMatchObject({ cost_usd: expect.closeTo(0.04) });
});

const idOf = (said: string): string => /message id: ([0-9a-f-]+)/.exec(said)?.[1] ?? "";

test("budgets stop two agents that thank each other for ever without a request", async () => {
  // For the first message, time and again: no path gets longer by that, so the loop guard sees no circle.
  let request = "";
  const team = await FakeTeam.up(
    `
lead: boss
agents:
  boss: { description: leads, prompt: p, budget: { turns: 2 } }
  coder: { description: codes, prompt: p, budget: { turns: 2 } }
`,
    {
      boss: async (said, self) =>
        said === "go"
          ? (await self.send("coder", "do it")).text
          : (await self.send("coder", "thank you", { reply_to: idOf(said) })).text,
      coder: async (said, self) => {
        if (said.includes("do it")) {
          request = idOf(said);
          return "done";
        }
        return (await self.send("boss", "thank you", { reply_to: request })).text;
      },
    },
  );
  await team.ask("go");
  await untilAllIsDone(team);
  expect(team.refusals().filter((code) => code !== "budget_spent")).toEqual([]);
  expect(team.agent("boss").turns).toBeLessThanOrEqual(3);
  expect(team.agent("coder").turns).toBeLessThanOrEqual(3);
});

test("a message accepted before the budget was spent is read in the next turn and starts none", async () => {
  const team = await FakeTeam.up(teamOf("{}", ", budget: { turns: 1 }"), delegating);
  await team.ask("go");
  // As if it had been sent before the only turn was paid.
  const late = messageOf({ type: "error", content: "one more thing" });
  await team.running.teamRecords.bus.send(late);
  await team.until("message_moved", { fits: ({ id, step }) => id === late.id && step === "seen" });
  await untilAllIsDone(team);
  expect(team.agent("coder").heard.at(-1)).toContain("one more thing");
  expect(team.agent("coder").turns).toBe(1);
});

test("an agent without a budget left still gets the answer that its call waits for", async () => {
  const team = await FakeTeam.up(teamOf("{}", ", budget: { turns: 1 }"), delegating);
  await team.ask("go");
  const waiting = team.agent("coder").send("boss", "which one?", { type: "info", wait: true });
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.type === "info",
  });
  const boss = team.agent("boss");
  expect((await boss.send("coder", "that one", { reply_to: message.id })).isError).toBe(false);
  expect((await waiting).text).toContain("that one");
  expect((await boss.send("coder", "really", { reply_to: message.id })).text).toContain(
    "budget_spent",
  );
});

/** Nothing waits in an inbox, and no agent works. */
async function untilAllIsDone({ running }: FakeTeam): Promise<void> {
  const look = async () => ({
    inboxes: Object.values(await running.teamRecords.bus.counts()),
    states: [...running.agents.values()].map(({ state }) => state),
  });
  await expect.poll(look, { timeout: 20_000 }).toEqual({ inboxes: [], states: ["ready", "ready"] });
}
