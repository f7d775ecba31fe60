import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { openSqliteBus } from "../../bus/sqlite/open-sqlite-bus.ts";
import { runTeam } from "../run-team.ts";
import { errorOf } from "../../wire/errors.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { FramePeer } from "../../../test/support/frames.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

type Moved = TeamEventOf<"message_moved">;

/** From the moment in which this step would be told, the process writes nothing any more. */
function killBefore(team: FakeTeam, fits: (moved: Moved) => boolean): Promise<Moved> {
  const { timeline, bus } = team.running.teamRecords;
  const killed = Promise.withResolvers<Moved>();
  const [append, write] = [timeline.append.bind(timeline), bus.records.write.bind(bus.records)];
  let isKilled = false;
  vi.spyOn(timeline, "append").mockImplementation((draft, writes) => {
    if (draft.type === "message_moved" && fits(draft as Moved)) {
      isKilled = true;
      killed.resolve(draft as Moved);
    }
    append(draft, writes);
  });
  vi.spyOn(bus.records, "write").mockImplementation(async (...args) => {
    if (isKilled) throw errorOf("bus_closed", "The process was killed.");
    return write(...args);
  });
  return killed.promise;
}

const movesOf = (team: FakeTeam, id: string, since = 0): string[] =>
  team.told
    .slice(since)
    .flatMap((event) => (event.type === "message_moved" && event.id === id ? [event.step] : []));

const never = (): Promise<never> => new Promise(() => {});

test("a message seen when the team was killed is published once by the next process, its task as working", async () => {
  const team = await FakeTeam.up(pair, { boss: never });
  const killed = killBefore(team, ({ step }) => step === "seen");
  const id = await team.running.send("work");
  await killed;
  await team.stop();
  expect(movesOf(team, id)).not.toContain("seen");

  const since = team.told.length;
  await team.start();
  await team.until("message_moved", { since, fits: (moved) => moved.id === id });
  const { communication, tasks } = team.running.teamRecords;
  expect(movesOf(team, id, since)).toEqual(["seen"]);
  expect(tasks.get(id)).toMatchObject({ state: "working" });
  const { entries } = await communication.query();
  expect(entries).toMatchObject([{ from_agent: "user", to_agent: "boss", success: true }]);

  await team.stop();
  const end = team.told.length;
  await team.start();
  await team.stop();
  expect(movesOf(team, id, end)).toEqual([]);
});

test("a message withdrawn when the team was killed is published by the next process", async () => {
  const team = await FakeTeam.up(pair, { boss: never });
  const { teamRecords } = team.running;
  const message = messageOf({ id: randomUUID(), from_agent: "user", to_agent: "boss" });
  const task = teamRecords.tasks.rowOf(message, undefined, []);
  const killed = killBefore(team, ({ step }) => step === "withdrawn");
  const ended = { ...task, state: "canceled" as const };
  await teamRecords.bus.send(message, { writes: [teamRecords.tasks.writeOf(ended)] });
  const { reason } = await killed;
  await team.stop();
  const since = team.told.length;
  await team.start();
  const told = await team.until("message_moved", { since, fits: ({ id }) => id === message.id });
  expect(told).toMatchObject({ step: "withdrawn", reason });
  const { entries } = await team.running.teamRecords.communication.query();
  expect(entries).toMatchObject([{ success: false, error: `aborted: Not delivered: ${reason}.` }]);
});

test("a call that arrives before the events of its session are read is sent under its task", async () => {
  const call = Promise.withResolvers<void>();
  const team = await FakeTeam.up(pair, {
    boss: async (said, self) => {
      if (!said.includes("the job")) return `with ${said}`;
      await call.promise;
      await self.send("coder", "a part");
      return "too early";
    },
    coder: () => "the part",
  });
  const id = await team.running.send("the job");
  await team.until("turn_started");
  await team.stop();
  const release = Promise.withResolvers<void>();
  team.agent("boss").session.held = release.promise;
  const since = team.told.length;
  const started = team.start();
  await expect.poll(() => existsSync(team.agent("boss").toolSocket)).toBe(true);
  call.resolve();
  // Longer than a session that is being heard has for it.
  await delay(5500);
  release.resolve();
  await started;
  const sent = await team.until("message_sent", {
    fits: ({ message }) => message.to_agent === "coder",
  });
  expect(sent.message).toMatchObject({ root_id: id, hop: 1 });
  const answered = await team.until("answered", { since, fits: (event) => event.id === id });
  expect(answered.text).toContain("the part");
});

test("a call that its session does not show sends nothing and can be repeated; a call without an id is sent", async () => {
  const team = await FakeTeam.up(pair, {});
  await using peer = await FramePeer.connect(team.agent("boss").toolSocket);
  const send = (id: number, content: string, meta: object): Promise<unknown> => {
    const args = { to: "coder", content };
    const params = { name: "send_message", arguments: args, _meta: meta };
    return peer.ask({ jsonrpc: "2.0", id, method: "tools/call", params });
  };
  const refused = await send(1, "whose?", { "claudecode/toolUseId": "toolu_nobodys" });
  expect(refused).toMatchObject({ result: { isError: true } });
  expect(JSON.stringify(refused)).toContain("Error -32001 (timeout): Nothing was sent");
  await send(2, "mine", {});
  const { message } = await team.until("message_sent");
  expect(message.content).toBe("mine");
});

/** A process of the team that hears boss out, and is ended before boss has its tools. */
async function hearOut(team: FakeTeam): Promise<void> {
  const boss = team.agent("boss");
  boss.isSilent = true;
  const running = await runTeam({
    team: team.team,
    stateDir: team.stateDir,
    host: team.newHost(),
  });
  const place = async () =>
    (await running.teamRecords.bus.records.get("agents", "boss"))?.value["since"];
  await expect.poll(place).toBe(boss.session.lastSeq);
  await running.stop();
  boss.isSilent = false;
}

/** An answer to boss that a process has pushed, and that lies in the inbox, because that one was killed. */
async function answerBeforeKill(team: FakeTeam): Promise<CCMessage> {
  await team.stop();
  const id = randomUUID();
  const ends = { reply_to: randomUUID(), type: "task_response" } as const;
  const answer = messageOf({ id, from_agent: "coder", to_agent: "boss", ...ends });
  const bus = await openSqliteBus(join(team.stateDir, "bus.db"));
  await bus.send(answer);
  await bus.close();
  team.agent("boss").session.happen({ type: "user_message", id, text: "so", from: "coder" });
  return answer;
}

function readIn(team: FakeTeam, id: string): void {
  const { session } = team.agent("boss");
  const turn = { turn_id: "t9", messages: [id] };
  session.happen({ type: "turn_started", ...turn, cause: "message" });
  session.happen({ type: "message_seen", id });
  session.happen({
    type: "done",
    ...turn,
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    duration_ms: 1,
    stop_reason: "completed",
  });
}

test.each([
  ["was heard of by a process that was ended before it could say so", hearOut],
  [
    "stands in a part of the session's log that is cut off",
    async (team: FakeTeam) => {
      const { session } = team.agent("boss");
      session.forgotten = session.lastSeq;
      session.happen({ type: "snapshot_begin", upto: session.forgotten, items: 0 });
      session.happen({ type: "snapshot_end", upto: session.forgotten });
    },
  ],
])("an answer whose reading %s is settled, and its agent goes on", async (_how, meanwhile) => {
  const team = await FakeTeam.up(pair, { boss: (said) => `heard ${said}` });
  const { id } = await answerBeforeKill(team);
  readIn(team, id);
  await meanwhile(team);
  await team.start();
  const { bus, timeline } = team.running.teamRecords;
  await expect.poll(() => bus.counts()).toEqual({});
  expect((await team.ask("two")).text).toBe("heard two");
  const steps: string[] = [];
  for await (const events of timeline.after(0)) {
    for (const event of events) {
      if (event.type === "message_moved" && event.id === id) steps.push(event.step);
    }
  }
  expect(steps.filter((step) => step === "seen")).toHaveLength(1);
});

test("an answer that a session dropped while the team was down becomes a dead letter", async () => {
  const team = await FakeTeam.up(pair, { boss: (said) => `heard ${said}` });
  const { id } = await answerBeforeKill(team);
  team.agent("boss").session.happen({ type: "message_dropped", id, reason: "aborted" });
  await team.start();
  await team.until("message_moved", { fits: (moved) => moved.id === id && moved.step === "dead" });
  expect((await team.ask("two")).text).toBe("heard two");
});

test("a turn is published once, however many events of others lie between its start and a restart", async () => {
  const go = Promise.withResolvers<string>();
  const team = await FakeTeam.up(pair, { boss: () => go.promise });
  await team.running.send("go");
  await team.until("turn_started");
  for (let i = 0; i < 2100; i += 1) {
    team.running.teamRecords.timeline.append({ type: "notice", level: "info", message: "x" });
  }
  await team.stop();
  await team.start();
  go.resolve("done");
  await team.until("answered");
  expect(team.told.filter(({ type }) => type === "turn_started")).toHaveLength(1);
});

test("a task whose last part came, and was dealt with, while no process of the team ran is answered by the next one", async () => {
  const gate = Promise.withResolvers<void>();
  const team = await FakeTeam.up(pair, {
    boss: async (said, self) => {
      if (!said.includes("the job")) return "with the part";
      await self.send("coder", "a part");
      await gate.promise;
      return "asked";
    },
    coder: () => "the part",
  });
  team.agent("boss").joins = false;
  const id = await team.running.send("the job");
  await team.until("message_moved", {
    fits: ({ step, from_agent }) => step === "pushed" && from_agent === "coder",
  });
  await team.stop();
  const since = team.told.length;
  gate.resolve();
  const { session } = team.agent("boss");
  const ends = () => session.log.filter(({ type }) => type === "done").length;
  await expect.poll(ends).toBe(2);
  await team.start();
  const answered = await team.until("answered", { since, withinMs: 5_000 });
  expect(answered).toMatchObject({ id, text: "with the part" });
});
