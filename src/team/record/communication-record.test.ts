import { expect, test, vi } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const SOON = { timeout: 20_000 };

const teamOf = (more = ""): string => `
lead: boss
${more}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

/** What the log has at a level, oldest first, each as one line. */
async function logOf(team: FakeTeam, level: "DEBUG" | "INFO" | "WARN" | "ERROR") {
  await using client = await team.connect();
  const { entries } = await client.request("log", { level });
  return entries
    .toReversed()
    .map(({ level: own, from_agent, to_agent, message_type, error }) =>
      [own, from_agent, to_agent, message_type, error?.split(":")[0] ?? "delivered"].join(" "),
    );
}

test("the team's process answers a ping, and the DEBUG log has both messages", async () => {
  const team = await FakeTeam.up(teamOf(), {});
  const { text } = await team.agent("boss").send("coder", "there?", { type: "ping" });
  expect(JSON.parse(text)).toMatchObject({ type: "pong", from: "coder", state: "ready" });
  await expect
    .poll(() => logOf(team, "DEBUG"), SOON)
    .toEqual(["DEBUG boss coder ping delivered", "DEBUG coder boss pong delivered"]);
  expect(await logOf(team, "INFO")).toEqual([]);
  expect(team.agent("coder").heard).toEqual([]);
});

test("a message has the time of its call, however long the send had to wait", async () => {
  const team = await FakeTeam.up(teamOf(), {});
  const look = vi.spyOn(team.running.teamRecords.bus, "get");
  const cameIn = Promise.withResolvers<number>();
  look.mockImplementationOnce(async () => {
    const ms = Date.now();
    cameIn.resolve(ms);
    await expect.poll(() => Date.now()).toBeGreaterThan(ms + 1);
    return undefined;
  });
  await team.agent("boss").send("coder", "note", { type: "info" });
  const { message } = await team.until("message_sent");
  expect(Date.parse(message.timestamp)).toBeLessThanOrEqual(await cameIn.promise);
});

test("the communication log has each time-out as a failure: of an answer, a write, a task", async () => {
  const team = await FakeTeam.up(teamOf("timeouts: { receive: 0.3, send: 2, task: 2 }"), {
    boss: async (said, self) => (said === "go" ? (await self.send("coder", "work")).text : said),
    coder: () => new Promise<never>(() => {}),
  });
  const boss = team.agent("boss");
  const late = await boss.send("coder", "well?", { type: "info", wait: true });
  expect(late.text).toContain("Error -32001 (timeout): coder has not answered within 0.3 s.");

  const { bus } = team.running.teamRecords;
  const sending = vi.spyOn(bus, "send").mockReturnValueOnce(new Promise(() => {}));
  const unsafe = await boss.send("coder", "well?", { type: "progress" });
  sending.mockRestore();
  expect(unsafe.text).toContain("Error -32001 (timeout): The message to coder was not safe");

  await team.ask("go");
  await team.until("task_changed", { fits: ({ task }) => task.state === "timed_out" });
  await expect
    .poll(() => logOf(team, "WARN"), SOON)
    .toEqual([
      "WARN boss coder info timeout",
      "WARN boss coder progress timeout",
      "WARN boss coder task_request timeout",
    ]);
  expect(await logOf(team, "ERROR")).toEqual([]);
});

test("the communication log has the restart and the quarantine of an agent", async () => {
  const team = await FakeTeam.up(teamOf("limits: { failed_starts: 2 }"), {}, { broken: ["coder"] });
  await team.until("agent_state", { fits: ({ state }) => state === "quarantined" });
  await expect
    .poll(() => logOf(team, "WARN"), SOON)
    .toEqual([
      "WARN coder switchboard error restarting",
      "ERROR coder switchboard error quarantined",
    ]);
});

test("[TEAM-16] status counts how often an agent was lost and started again, also before this process", async () => {
  const team = await FakeTeam.up(teamOf("limits: { failed_starts: 3 }"), {}, { broken: ["coder"] });
  const restartsOf = async (): Promise<unknown[]> => {
    await using client = await team.connect();
    return (await client.request("status", {})).agents.map(({ restarts }) => restarts);
  };
  await team.until("agent_state", { fits: ({ state }) => state === "quarantined" });
  expect(await restartsOf()).toEqual([0, 2]);
  await team.stop();
  const since = team.told.length;
  await team.start();
  await team.until("agent_state", { since, fits: ({ state }) => state === "quarantined" });
  expect(await restartsOf()).toEqual([0, 4]);
});

test("the communication log is read page by page", async () => {
  const team = await FakeTeam.up(teamOf(), {});
  const { communication } = team.running.teamRecords;
  const count = 2500;
  const sizes = Array.from({ length: count }, (_, index) => index);
  for (const size of sizes) {
    const message = messageOf({ content: "x".repeat(size) });
    if (size % 2) communication.delivered(message);
    else communication.failed(message, errorOf("not_allowed", "no"));
  }
  await using client = await team.connect();
  const found: number[] = [];
  let before: string | undefined;
  do {
    const page = await client.request("log", {
      limit: 999,
      ...(before !== undefined && { before }),
    });
    found.push(...page.entries.map(({ message_size }) => message_size));
    before = page.before;
  } while (before !== undefined);
  expect(found.toReversed()).toEqual(sizes);
});

test("the line about a failed task is a warning, and each line names the message that it is about", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: async (said, self) => {
      if (said !== "go") return said;
      await self.send("coder", "work");
      return "asked";
    },
    coder: async (said, self) => {
      const reply_to = /message id: ([0-9a-f-]+)/.exec(said)?.[1];
      await self.send("boss", "I cannot.", { reply_to, type: "task_failed" });
      return "told";
    },
  });
  await team.ask("go");
  const failed = await team.until("message_sent", {
    fits: ({ message }) => message.type === "task_failed",
  });
  await expect
    .poll(() => logOf(team, "WARN"), SOON)
    .toContain("WARN coder boss task_failed delivered");
  await using client = await team.connect();
  const { entries } = await client.request("log", { level: "WARN" });
  expect(entries.map(({ message_id }) => message_id)).toContain(failed.message.id);
});
