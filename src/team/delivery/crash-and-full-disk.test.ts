import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openSqliteBus } from "../../bus/sqlite/open-sqlite-bus.ts";
import type { StoredBus } from "../../bus/stored-bus.ts";
import type { Recipient } from "./recipient-port.ts";
import { answerWords, questionWords } from "../messages/message-carried-by-result.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamStatus } from "../../wire/team/control-methods.ts";
import { extraInbox } from "../../../test/support/extra-inbox.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const pair = `
lead: boss
limits: { per_pair_per_minute: 100000, per_sender_per_minute: 100000 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const statusOf = async (team: FakeTeam): Promise<TeamStatus> => {
  await using client = await team.connect();
  return await client.request("status", {});
};

test("a message that ends its recipient each time becomes a dead letter, and its sender is informed", async () => {
  const team = await FakeTeam.up(pair, { boss: (said) => said });
  const { teamRecords } = team.running;
  // No agent serves this inbox.
  const message = messageOf({ id: randomUUID(), to_agent: "ghost", content: "poison" });
  const task = teamRecords.tasks.rowOf(message, undefined, []);
  const pushed: string[] = [];
  const session: Pick<NonNullable<Recipient["session"]>, "send"> = {
    send: async (_content, options) => {
      const id = options?.id ?? "";
      pushed.push(id);
      setImmediate(() => void inbox.sessionLost("Its process ended."));
      return { id };
    },
  };
  const inbox = extraInbox(team, "ghost", () => session);
  inbox.start();
  await teamRecords.bus.send(message, { writes: [teamRecords.tasks.writeOf(task)] });
  teamRecords.tasks.add(task);
  const dead = await team.until("message_moved", { fits: ({ step }) => step === "dead" });
  expect(dead).toMatchObject({ id: message.id, reason: "Its process ended." });
  expect(pushed).toEqual(Array.from({ length: 3 }, () => message.id));
  // The sender is told as by an answer.
  const told = await team.until("message_sent", {
    fits: (event) => event.message.reply_to === message.id,
  });
  expect(told.message).toMatchObject({
    from_agent: "switchboard",
    to_agent: "boss",
    type: "error",
  });
  expect(await statusOf(team)).toMatchObject({ dead_letters: 1 });
  await inbox.stop();
});

test("a session with a new log is published from its beginning", async () => {
  const team = await FakeTeam.up(pair, {
    boss: async (_said, self) => (await self.send("coder", "do it", { wait: true })).text,
    coder: (_said, self) => `in ${self.session.logId}`,
  });
  const saidIn = async (since: number): Promise<unknown> => {
    await team.ask("go");
    return team.until("said", { since, fits: ({ agent }) => agent === "coder" });
  };
  for (let round = 0; round < 3; round += 1) await saidIn(team.told.length);
  await team.stop();
  const { session } = team.agent("coder");
  session.logId = "another";
  session.log.length = 0;
  await team.start();
  // Nothing is told of it before the next process has to know from where on.
  await team.stop();
  const since = team.told.length;
  await team.start();
  expect(await saidIn(since)).toMatchObject({ text: "in another" });
  // And what was told is not told again.
  await team.stop();
  const end = team.told.length;
  await team.start();
  expect(await saidIn(end)).toMatchObject({ text: "in another" });
  const turns = team.told.slice(end).filter((event) => event.type === "turn_started");
  expect(turns).toHaveLength(2);
});

test("a message that was durable when the team was killed is published and delivered by the next process", async () => {
  const team = await FakeTeam.up(pair, { boss: (said) => `heard ${said}` });
  await team.stop();
  const bus = await openSqliteBus(join(team.stateDir, "bus.db"));
  const message = messageOf({
    id: randomUUID(),
    from_agent: "user",
    to_agent: "boss",
    content: "hello",
  });
  const { tasks } = team.running.teamRecords;
  const task = tasks.rowOf(message, undefined, []);
  await bus.send(message, {
    writes: [
      { kind: "put", collection: "untold", key: message.id, value: {} },
      tasks.writeOf(task),
    ],
  });
  await bus.close();
  const since = team.told.length;
  await team.start();
  await team.until("message_sent", { since, fits: (event) => event.message.id === message.id });
  expect(await team.until("answered", { fits: ({ id }) => id === message.id })).toMatchObject({
    text: "heard hello",
  });
  await team.stop();
  const end = team.told.length;
  await team.start();
  await team.ask("again");
  const tellings = team.told
    .slice(end)
    .filter((event) => event.type === "message_sent" && event.message.id === message.id);
  expect(tellings).toEqual([]);
});

test("a turn that was cut after its final text is answered with that text, unless it goes on", async () => {
  const team = await FakeTeam.up(pair, { boss: () => new Promise<never>(() => {}) });
  const { session } = team.agent("boss");
  const lose = (turn_id: string, messages: string[], text?: string): void => {
    const none = { usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0, duration_ms: 1 };
    if (text !== undefined) session.happen({ type: "text_delta", turn_id, block: 9, text });
    session.happen({ type: "done", turn_id, messages, ...none, stop_reason: "host_lost" });
  };
  const asked = team.ask("go");
  const { turn_id, messages } = await team.until("turn_started");
  lose(turn_id, []);
  session.happen({ type: "turn_started", turn_id: "again", messages, cause: "resume" });
  lose("again", messages, "the last word");
  expect(await asked).toMatchObject({ text: "the last word", failed: false });
});

test("an answer that a call returned while the team was down is not delivered a second time", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "fine", coder: () => "done" });
  await team.stop();
  const { session, heard } = team.agent("coder");
  const [answer, question] = [
    messageOf({ id: randomUUID(), type: "task_response", reply_to: randomUUID(), content: "yes" }),
    messageOf({ id: randomUUID(), content: "why?" }),
  ];
  const turn_id = "t9";
  session.happen({ type: "turn_started", turn_id, messages: [], cause: "background" });
  const bring = (request_id: string, tool: string, output: string): void => {
    session.happen({ type: "tool_use", turn_id, request_id, tool, input: {} });
    session.happen({ type: "tool_result", turn_id, request_id, output, is_error: false });
  };
  bring("c1", "mcp__team__send_message", answerWords(answer));
  bring("c2", "mcp__team__send_message", questionWords(question));
  const other = messageOf({ id: randomUUID(), content: "not yet" });
  bring("c3", "Bash", answerWords(other));
  const none = { usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0, duration_ms: 1 };
  session.happen({ type: "text_delta", turn_id, block: 1, text: "because" });
  session.happen({ type: "done", turn_id, messages: [], ...none, stop_reason: "completed" });
  const bus = await openSqliteBus(join(team.stateDir, "bus.db"));
  const { tasks } = team.running.teamRecords;
  const task = tasks.rowOf(question, undefined, []);
  await bus.send(answer);
  await bus.send(question, { writes: [tasks.writeOf(task)] });
  await bus.send(other);
  await bus.close();
  await team.start();
  await expect.poll(() => heard.join()).toContain("not yet");
  expect(heard).toHaveLength(1);
  const moved = team.told.flatMap((event) =>
    event.type === "message_moved" && event.step === "returned" ? [event.id] : [],
  );
  expect(moved).toEqual(expect.arrayContaining([answer.id, question.id]));
  // The turn that got the question has answered it by its last words.
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.reply_to === question.id,
  });
  expect(message.content).toBe("because");
});

test("a request that is in the conversation already, though not acknowledged, ends no wait", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "so" });
  await team.stop();
  const request = messageOf({ id: randomUUID(), content: "do it" });
  const coder = team.agent("coder");
  coder.session.happen({ type: "user_message", id: request.id, text: "do it" });
  coder.session.happen({ type: "message_seen", id: request.id });
  const messages = [request.id];
  coder.session.happen({ type: "turn_started", turn_id: "t9", messages, cause: "resume" });
  const bus = await openSqliteBus(join(team.stateDir, "bus.db"));
  const { tasks } = team.running.teamRecords;
  await bus.send(request, { writes: [tasks.writeOf(tasks.rowOf(request, undefined, []))] });
  await bus.close();
  await team.start();
  const { text } = await coder.send("boss", "how?", { wait: true });
  expect(text).toContain("Answer from boss");
});

test("a full disk is reported to the sender, and the team goes on when there is room", async (context) => {
  const { directory, resize } = mountSmallDisk(context);
  const team = await FakeTeam.up(
    pair,
    {
      boss: async (said, self) =>
        said === "go"
          ? (await self.send("coder", "x".repeat(500_000), { type: "info" })).text
          : said.slice(0, 10),
    },
    { root: directory },
  );
  const fill = async (): Promise<unknown> => {
    for (;;) {
      try {
        await team.running.send("y".repeat(300_000));
      } catch (error) {
        return error;
      }
    }
  };
  expect(await fill()).toMatchObject({ code: "disk_full", retryable: true });
  resize("256m");
  const { text, failed } = await team.ask("go");
  expect({ text: text.includes("accepted"), failed }).toEqual({ text: true, failed: false });
  const seqs = team.told.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + (seqs[0] ?? 1)));
});

test("a disk that is full when a turn ends delays the turn's answer, and nothing is lost", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "the answer" });
  const { records } = team.running.teamRecords.bus;
  const write = records.write.bind(records);
  let failures = 0;
  vi.spyOn(records, "write").mockImplementation((writes, options) => {
    const isPayment = options?.once !== undefined;
    if (!isPayment || failures === 2) return write(writes, options);
    failures += 1;
    return Promise.reject(errorOf("disk_full", "No room."));
  });
  expect((await team.ask("go")).text).toBe("the answer");
  expect(failures).toBe(2);
  const told = team.told.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(told).toEqual(["The end of boss's turn has to wait: No room."]);
  expect(team.told.filter(({ type }) => type === "turn_ended")).toHaveLength(1);
});

test("the team goes on when a message of a lost session cannot be released", async () => {
  const team = await FakeTeam.up(pair, {});
  const { bus } = team.running.teamRecords;
  const { session } = team.agent("boss");
  // It takes the message, and dies before its conversation has it. The disk is full then.
  session.onCommand = (command, client) => {
    if (command.type === "message") {
      session.happen({ type: "user_message", id: command.id ?? "", text: command.text ?? "" });
    }
    client.answer(command, "ok");
  };
  await team.running.send("lost for now");
  await team.until("message_moved", { fits: ({ step }) => step === "pushed" });
  vi.spyOn(bus as StoredBus, "settle").mockRejectedValueOnce(errorOf("disk_full", "No room."));
  await team.running.agents.get("boss")?.session?.close();
  const { message } = await team.until("notice");
  expect(message).toBe("A message to boss has to wait: No room.");
  const since = team.told.findIndex(({ type }) => type === "notice");
  await team.until("agent_state", { since, fits: ({ state }) => state === "restarting" });
  // Who is left in peace goes on.
  const { text } = await team.agent("coder").send("boss", "still there?");
  expect(text).toContain("accepted");
});
