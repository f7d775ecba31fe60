import { expect, test, vi } from "vitest";
import type { FakeAgent } from "../../../test/support/fake-agent.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

// A secretary with two jobs: the name of the bank for lead, which slow looks up, and salaries for writer alone.
const yaml = `
lead: lead
timeouts: { task: 60 }
agents:
  lead: { description: leads, prompt: p }
  secretary: { description: knows, prompt: p }
  slow: { description: looks things up, prompt: p, may_interrupt: [secretary] }
  writer: { description: writes, prompt: p }
`;

const idOf = (said: string): string => /message id: ([0-9a-f-]+)/.exec(said)?.[1] ?? "";

/** How slow ends the task that the secretary gave it. */
type Ending = (said: string, self: FakeAgent, team: FakeTeam) => Promise<string>;

interface Xtalk {
  readonly team: FakeTeam;
  /** Everything that an agent was answered by the secretary. */
  readonly answersTo: (agent: string) => string[];
}

const answerOfSlow = async (team: FakeTeam): Promise<string> => {
  const sent = await team.until("message_sent", {
    fits: ({ message }) => message.to_agent === "secretary" && message.reply_to !== null,
  });
  return sent.message.id;
};

/** Runs both jobs, such that slow's answer arrives while the secretary's turn is about the salaries. */
async function xtalk(ending: Ending): Promise<Xtalk> {
  const salaries = Promise.withResolvers<void>();
  const team: FakeTeam = await FakeTeam.up(yaml, {
    lead: async (said, self) => {
      if (said !== "go") return "heard";
      await self.send("secretary", "the name of our bank?");
      await self.send("writer", "write about us");
      return "asked";
    },
    writer: async (said, self) => {
      if (!said.includes("write about us")) return "written";
      await vi.waitUntil(() => team.agent("slow").turns > 0, { timeout: 20_000 });
      await self.send("secretary", "the salaries, for my eyes only?");
      return "asked";
    },
    slow: async (said, self) => {
      await salaries.promise;
      return ending(said, self, team);
    },
    secretary: async (said, self) => {
      if (said.includes("the name of our bank?")) {
        await self.send("slow", "look up the bank");
        return "I have asked slow.";
      }
      if (!said.includes("the salaries")) return `About the bank: ${said}`;
      salaries.resolve();
      const id = await answerOfSlow(team);
      const { bus } = team.running.teamRecords;
      await vi.waitUntil(async () => (await bus.get(id))?.state !== "waiting", { timeout: 20_000 });
      await self.call("list_tasks", {});
      return "CONFIDENTIAL salaries";
    },
  });
  await team.ask("go");
  const answersTo = (agent: string): string[] =>
    team.told.flatMap((event) =>
      event.type === "message_sent" &&
      event.message.from_agent === "secretary" &&
      event.message.to_agent === agent &&
      event.message.reply_to !== null
        ? [event.message.content]
        : [],
    );
  return { team, answersTo };
}

const endings: [string, string, Ending][] = [
  ["its final text", "It is BANKNAME.", async () => "It is BANKNAME."],
  [
    "an urgent answer",
    "It is BANKNAME.",
    async (said, self) => {
      const more = { reply_to: idOf(said), metadata: { priority: "urgent" } };
      await self.send("secretary", "It is BANKNAME.", more);
      return "sent";
    },
  ],
  [
    "a failure",
    "I cannot look it up.",
    async (said, self) => {
      const more = { reply_to: idOf(said), type: "task_failed" };
      await self.send("secretary", "I cannot look it up.", more);
      return "sent";
    },
  ],
  [
    "an error of the team itself",
    "canceled by a person",
    async (_said, { id }, { running }) => {
      const [task] = running.teamRecords.tasks.openOf(id);
      await running.cancel(task?.id ?? "", "a person");
      return "too late";
    },
  ],
];

test.for(endings)(
  "%s that arrives in a turn about another task waits for its end; each asker gets its own answer",
  async ([, answer, ending]) => {
    const { answersTo, team } = await xtalk(ending);
    expect(answersTo("writer")).toEqual(["CONFIDENTIAL salaries"]);
    expect(answersTo("lead")).toEqual([expect.stringContaining(answer)]);
    expect(answersTo("lead").join()).not.toContain("CONFIDENTIAL");
    // The model was told whom its text goes to.
    expect(answersTo("lead").join()).toMatch(
      /on the task \S+ of lead\..* is sent to lead as the answer\.$/,
    );
    expect(team.agent("secretary").turns).toBe(3);
  },
);

test("a wait is not ended by the answer to another task of the same job", async () => {
  const first = Promise.withResolvers<string>();
  const results: string[] = [];
  const team: FakeTeam = await FakeTeam.up(yaml, {
    lead: async (said, self) => {
      if (said !== "go") return "heard";
      await self.send("secretary", "the name of our bank?");
      await self.send("secretary", "the salaries?");
      return "asked";
    },
    slow: (said) => (said.includes("look up the bank") ? first.promise : "SALARIES"),
    secretary: async (said, self) => {
      if (said.includes("the name of our bank?")) {
        await self.send("slow", "look up the bank");
        return "I have asked slow.";
      }
      if (!said.includes("the salaries?")) return "BANKNAME";
      const waiting = self.send("slow", "look up the salaries", { wait: true });
      await vi.waitUntil(() => [...team.running.waits].length > 0, { timeout: 20_000 });
      first.resolve("It is BANKNAME.");
      results.push((await waiting).text);
      return "SALARIES";
    },
  });
  await team.ask("go");
  expect(results).toEqual([expect.stringMatching(/^Answer from slow .*\nSALARIES$/)]);
  const answers = team.told.flatMap((event) =>
    event.type === "message_sent" &&
    event.message.from_agent === "secretary" &&
    event.message.to_agent === "lead"
      ? [event.message]
      : [],
  );
  expect(answers.map(({ content }) => content).toSorted()).toEqual(["BANKNAME", "SALARIES"]);
});
