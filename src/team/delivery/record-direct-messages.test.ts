import { expect, test, vi } from "vitest";
import { connectSession } from "../../client/index.ts";
import type { SessionClient } from "../../client/index.ts";
import { pathsOfAgent } from "../host/local/agent-paths.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

/** As `switchboard attach boss` does: straight to the session of the lead. */
const attach = (team: FakeTeam): Promise<SessionClient> =>
  connectSession(pathsOfAgent(team.stateDir, "boss").socket, { name: "ada" });

const eventsOf = (team: FakeTeam, id: string): string[] =>
  team.told.flatMap((event) => {
    if (event.type === "message_sent" && event.message.id === id) return ["sent"];
    if (event.type === "message_moved" && event.id === id) return [event.step];
    if (event.type === "task_changed" && event.task.id === id) return [event.task.state];
    return event.type === "answered" && event.id === id ? ["answered"] : [];
  });

test("a message that a person types into the lead's own session is recorded once, also over a restart", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => {
      if (said.includes("it is done")) return "All is well.";
      await self.send("coder", "code");
      return "I have asked.";
    },
    coder: () => "it is done",
  });
  const person = await attach(team);
  const { id } = await person.send("How is it?");
  const { message, by } = await team.until("message_sent", {
    fits: (event) => event.message.id === id,
  });
  expect(message).toMatchObject({ from_agent: "user", to_agent: "boss", content: "How is it?" });
  expect(by).toBe("ada");
  // The lead's turn had parts; its last text is the answer.
  expect(await team.until("answered", { fits: (event) => event.id === id })).toMatchObject({
    text: "All is well.",
    failed: false,
  });
  const once = ["sent", "submitted", "seen", "working", "done", "completed", "answered"];
  expect(eventsOf(team, id).toSorted()).toEqual(once.toSorted());
  const { communication, tasks } = team.running.teamRecords;
  expect(await tasks.find(id)).toMatchObject({ title: "How is it?", state: "completed" });
  const { entries } = await communication.query({ level: "INFO", from: "user", limit: 10 });
  expect(entries).toMatchObject([{ from_agent: "user", to_agent: "boss", success: true }]);

  await person.close();
  await team.stop();
  await team.start();
  await team.ask("again");
  expect(eventsOf(team, id).toSorted()).toEqual(once.toSorted());
});

test("a turn about a message typed into the session takes in no answer of another job", async () => {
  const coded = Promise.withResolvers<string>();
  const talking = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => {
      if (said === "talk with me") return talking.promise;
      if (said !== "go") return "The job is done.";
      await self.send("coder", "code");
      return "I have asked.";
    },
    coder: () => coded.promise,
  });
  const job = team.ask("go");
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  const person = await attach(team);
  const { id } = await person.send("talk with me");
  await team.until("task_changed", {
    fits: ({ task }) => task.id === id && task.state === "working",
  });
  coded.resolve("coded");
  await team.until("message_sent", { fits: ({ message }) => message.from_agent === "coder" });
  talking.resolve("We have talked.");
  expect((await job).text).toBe("The job is done.");
  expect((await team.until("answered", { fits: (event) => event.id === id })).text).toBe(
    "We have talked.",
  );
  await person.close();
});

test("text deltas that the team reads again after its restart are not published again", async () => {
  const more = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, { boss: () => more.promise });
  const { session } = team.agent("boss");
  const say = (block: number, text: string): void =>
    void session.happen({ type: "text_delta", turn_id: "turn-boss-1", block, text });
  const answered = team.ask("go");
  await team.until("turn_started");
  const pieces: string[] = [];
  const listen = (): unknown => team.running.onDelta((_agent, { text }) => void pieces.push(text));
  listen();
  say(1, "I ask the coder.");
  await expect.poll(() => pieces).toEqual(["I ask the coder."]);
  await team.stop();

  // The next process can be listened to before it hears the session.
  const mayHear = Promise.withResolvers<void>();
  session.held = mayHear.promise;
  const before = team.running;
  const started = team.start();
  await vi.waitUntil(() => team.running !== before, { timeout: 20_000 });
  listen();
  mayHear.resolve();
  await started;
  say(2, "Now the tester.");
  await expect.poll(() => pieces).toEqual(["I ask the coder.", "Now the tester."]);
  more.resolve("Reviewed.");
  await answered;
});
