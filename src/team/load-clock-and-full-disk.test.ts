import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { controlSocket } from "./state-dir/control-socket-path.ts";
import type { TeamStatus } from "../wire/team/control-methods.ts";
import { FakeTeam } from "../../test/support/fake-team.ts";
import { FramePeer } from "../../test/support/frames.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { messageOf } from "../../test/support/team-messages.ts";

const trio = (limits = "{}"): string => `
lead: boss
limits: ${limits}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
  tester: { description: tests, prompt: p }
`;

const turnBy = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

const statusOf = async (team: FakeTeam): Promise<TeamStatus> => {
  await using client = await team.connect();
  return client.init;
};

interface Answer {
  readonly result: { readonly content: { text: string }[]; readonly isError?: boolean };
}

/** Calls of an agent's tool, all at once, as a model that has lost its mind would make them. */
async function flood(team: FakeTeam, from: string, count: number): Promise<Answer["result"][]> {
  await using peer = await FramePeer.connect(team.agent(from).toolSocket);
  const calls = Array.from({ length: count }, (_, index) => {
    const input = { to: "coder", content: `note ${index}`, type: "info" };
    const params = { name: "send_message", arguments: input };
    return peer.ask({ jsonrpc: "2.0", id: index + 1, method: "tools/call", params });
  });
  return (await Promise.all(calls)).map((answer) => (answer as Answer).result);
}

test("a flood of 10,000 messages is held to the limit, refusals are counted, and other senders go on", async () => {
  const team = await FakeTeam.up(trio(), { coder: (said) => said.slice(0, 12) });
  const results = await flood(team, "boss", 10_000);
  const refused = results.filter(({ isError }) => isError === true);
  expect(refused).toHaveLength(9980);
  expect(refused[0]?.content[0]?.text).toMatch(/^Error -32002 \(rate_limited\): .*retry_after/s);
  expect(await statusOf(team)).toMatchObject({ refusals: 9980, dead_letters: 0 });
  const { text } = await team.agent("tester").send("coder", "and mine?", { wait: true });
  expect(text).toContain("Answer from coder");
  const { heard } = team.agent("coder");
  const notes = heard.flatMap((said) => /note \d+/.exec(said) ?? []);
  expect(notes).toEqual(Array.from({ length: 20 }, (_, index) => `note ${index}`));
});

test("one of many simultaneous answers to a request is free of the limits", async () => {
  const team = await FakeTeam.up(trio("{ per_pair_per_minute: 20 }"), {
    boss: async (said, self) => (said === "go" ? (await self.send("coder", "do it")).text : "ok"),
    coder: async (said, self) => {
      const reply_to = /message id: (\S+)/.exec(said)?.[1];
      const answers = Array.from({ length: 50 }, (_, index) =>
        self.send("boss", `answer ${index}`, { reply_to }),
      );
      const taken = (await Promise.all(answers)).filter(({ isError }) => !isError);
      return `${taken.length} taken`;
    },
  });
  const { bus } = team.running.teamRecords;
  const send = bus.send.bind(bus);
  const free = Promise.withResolvers<void>();
  let held = 0;
  vi.spyOn(bus, "send").mockImplementation(async (message, options) => {
    if (message.from_agent === "coder") {
      held += 1;
      await free.promise;
    }
    return send(message, options);
  });
  await team.running.send("go");
  // All are judged before the first is on the disk.
  await expect.poll(() => held + team.refusals().length).toBe(50);
  free.resolve();
  const { text } = await team.until("said", { fits: ({ agent }) => agent === "coder" });
  // The request was the first of the twenty.
  expect(text).toBe("19 taken");
});

test("`status` shows a backlog, which outlives a restart and is delivered in order, once", async () => {
  const limits = "{ per_pair_per_minute: 100000, per_sender_per_minute: 100000 }";
  const end = Promise.withResolvers<string>();
  const team = await FakeTeam.up(trio(limits), {
    coder: (said) => (said.includes("hold on") ? end.promise : "done"),
  });
  const held = team.agent("tester").send("coder", "hold on", { wait: true });
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  expect((await flood(team, "boss", 500)).filter(({ isError }) => isError === true)).toEqual([]);
  const inboxOf = async (): Promise<number | undefined> =>
    (await statusOf(team)).agents.find(({ id }) => id === "coder")?.inbox;
  expect(await inboxOf()).toBe(500);
  await team.stop();
  end.resolve("now");
  await team.start();
  await expect.poll(inboxOf, { timeout: 60_000 }).toBe(0);
  await held.catch(() => {});
  const notes = team.agent("coder").heard.flatMap((said) => /note \d+/.exec(said) ?? []);
  expect(notes).toEqual(Array.from({ length: 500 }, (_, index) => `note ${index}`));
});

test("a clock that is set by an hour, forward and back, expires, times out, frees and loses nothing", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const gates: PromiseWithResolvers<string>[] = [];
  const team = await FakeTeam.up(trio("{ per_sender_per_minute: 4 }"), {
    boss: async (said, self) =>
      said === "go" ? (await self.send("coder", "do it", { wait: true })).text : "fine",
    coder: () => {
      const gate = Promise.withResolvers<string>();
      gates.push(gate);
      return gate.promise;
    },
  });
  const tester = team.agent("tester");
  for (const [round, byMs] of [3_600_000, -7_200_000].entries()) {
    const asked = team.ask("go");
    await expect.poll(() => gates).toHaveLength(round + 1);
    const lives = { type: "info", metadata: { ttl: 1800 } };
    await tester.send("boss", `in time ${round}`, lives);
    turnBy(byMs);
    await tester.send("boss", `later ${round}`, lives);
    gates[round]?.resolve(`done ${round}`);
    expect((await asked).text).toContain(`done ${round}`);
  }
  expect((await tester.send("boss", "one more")).text).toContain("-32002 (rate_limited)");
  await expect.poll(() => team.agent("boss").heard.join()).toContain("later 1");
  await team.stop();
  turnBy(3_600_000);
  await team.start();
  turnBy(-3_600_000);
  const { heard } = team.agent("boss");
  expect(heard.flatMap((said) => /(?:in time|later) \d/.exec(said) ?? [])).toEqual([
    "in time 0",
    "later 0",
    "in time 1",
    "later 1",
  ]);
  expect(await statusOf(team)).toMatchObject({ dead_letters: 0, open_tasks: 0 });
});

test("send_message on a full disk fails and keeps nothing; the same call works when there is room", async (context) => {
  const { directory, resize } = mountSmallDisk(context);
  const team = await FakeTeam.up(trio("{ per_pair_per_minute: 1000 }"), {}, { root: directory });
  const boss = team.agent("boss");
  const more = { type: "info", metadata: { priority: "low" } };
  const results: string[] = [];
  while (!results.at(-1)?.startsWith("Error")) {
    results.push((await boss.send("coder", `${results.length} ${"x".repeat(200_000)}`, more)).text);
  }
  expect(results.at(-1)).toMatch(/^Error -\d+ \(disk_full\): /);
  const accepted = results.length - 1;
  resize("64m");
  expect((await boss.send("coder", "and now?", more)).text).toContain("accepted");
  const { heard } = team.agent("coder");
  await expect.poll(() => heard.at(-1)).toContain("and now?");
  expect(heard.map((said) => /----- .* -----\n(\S+)/.exec(said)?.[1])).toEqual([
    ...Array.from({ length: accepted }, (_, index) => String(index)),
    "and",
  ]);
});

const askForTasks = (id: number): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tasks", params: { all: true, limit: 1000 } })}\n`;

test("a control client that reads nothing costs a few answers, and gets all 200 when it reads", async () => {
  const team = await FakeTeam.up(trio(), {});
  const { bus, tasks } = team.running.teamRecords;
  const rows = Array.from({ length: 1000 }, () =>
    tasks.rowOf(messageOf({ id: randomUUID(), content: "x".repeat(99) }), undefined, []),
  );
  await bus.records.write(rows.map((row) => tasks.writeOf({ ...row, state: "completed" })));
  const list = vi.spyOn(tasks, "page");

  const client = connect(controlSocket(team.stateDir));
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  client.pause();
  client.write(Array.from({ length: 200 }, (_, id) => askForTasks(id)).join(""));
  await vi.waitUntil(() => list.mock.calls.length > 0, { timeout: 20_000 });
  // Others are served meanwhile, and nothing more is prepared for the one that does not read.
  for (let round = 0; round < 5; round += 1) await statusOf(team);
  expect(list.mock.calls.length).toBeLessThan(20);

  let answers = 0;
  let rest = "";
  client.on("data", (chunk) => {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    answers += lines.filter((line) => line.startsWith('{"jsonrpc"')).length;
  });
  client.resume();
  await vi.waitUntil(() => answers === 200, { timeout: 60_000 });
});
