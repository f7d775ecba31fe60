import { expect, test, vi } from "vitest";
import { connectTeamOnce } from "../../../test/support/connect-team.ts";
import { controlSocket } from "../state-dir/control-socket-path.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const lost = { code: "connection_lost", message: "gone", retryable: true, hint: "wait" };

test("an answer to a call whose CLI was killed is delivered as a message when that turn is over", async () => {
  const free = Promise.withResolvers<string>();
  const team = await FakeTeam.up(pair, {
    boss: async (_said, self) => {
      await self.send("coder", "do it", { wait: true }).catch(() => {});
      return new Promise<never>(() => {});
    },
    coder: () => free.promise,
  });
  const boss = team.agent("boss");
  await team.running.send("go");
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  await boss.loseCli();
  await expect.poll(() => [...team.running.waits]).toEqual([]);
  free.resolve("it is done");
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.type === "task_response",
  });
  // As long as the session has not told of it, the call might be made again.
  await expect.poll(() => team.running.agents.get("coder")?.state).toBe("ready");
  expect(boss.heard.join()).not.toContain("it is done");
  boss.noticeLoss();
  await team.until("message_moved", {
    fits: ({ id, step }) => id === message.id && step === "seen",
    withinMs: 10_000,
  });
  expect(boss.heard.join()).toContain("it is done");
});

test("an approval keeps the person's name though the confirmation of the session was lost", async () => {
  const team = await FakeTeam.up(pair, {
    boss: (_said, self) => self.askLeave("Bash", { command: "x" }),
  });
  const { session } = team.agent("boss");
  const obey = session.onCommand;
  const isLost = Promise.withResolvers<void>();
  session.onCommand = (command, client) => {
    if (command.type !== "approve") return obey(command, client);
    client.answer(command, "error", lost);
    void isLost.promise.then(() => obey(command, client));
  };
  await using anna = await connectTeamOnce(controlSocket(team.stateDir), "anna");
  const asked = team.ask("go");
  const { request } = await team.until("approval_requested");
  const { request_id } = request;
  await expect(anna.request("approve", { request_id })).rejects.toMatchObject({ code: lost.code });
  isLost.resolve();
  expect((await asked).text).toBe("allowed");
  expect(await team.until("approval_resolved")).toMatchObject({ outcome: "allowed", by: "anna" });
});

test("an agent gets one request at a time, also before its session confirms the first", async () => {
  const brain = Promise.withResolvers<string>();
  const team = await FakeTeam.up(pair, { boss: () => brain.promise });
  const boss = team.agent("boss");
  const { record } = team.running.agents.get("boss") ?? {};
  if (!record) throw new Error("There is no boss.");
  // Whoever listens to the session is held up, as on a machine that has much to do.
  const heldUp = Promise.withResolvers<void>();
  const save = vi.spyOn(record, "save").mockImplementationOnce(() => heldUp.promise);
  boss.session.happen({ type: "session_changed", session_id: "0000" });
  await expect.poll(() => save.mock.calls).toHaveLength(1);

  const ids = [await team.running.send("one"), await team.running.send("two")];
  await expect.poll(() => boss.turns).toBe(1);
  // Time enough for the second to be claimed and pushed.
  for (let look = 0; look < 50; look += 1) await team.running.teamRecords.bus.get(ids[1] ?? "");
  heldUp.resolve();
  brain.resolve("done");
  for (const id of ids) await team.until("answered", { fits: (event) => event.id === id });
  const ends = boss.session.log.flatMap((event) => (event.type === "done" ? [event.messages] : []));
  expect(ends).toEqual(ids.map((id) => [id]));
});

test("a message that its session does not survive is dead after `delivery_attempts` losses, and reported", async () => {
  const team = await FakeTeam.up(`${pair}limits: { delivery_attempts: 3 }`, {
    boss: () => new Promise<never>(() => {}),
  });
  const { session } = team.agent("boss");
  const id = await team.running.send("poison");
  await team.until("turn_started");
  const lose = (turn_id: string, next: string): void => {
    session.happen({
      type: "done",
      turn_id,
      messages: [],
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: 0,
      duration_ms: 1,
      stop_reason: "cli_lost",
    });
    session.happen({ type: "turn_started", turn_id: next, messages: [id], cause: "resume" });
  };
  lose("turn-boss-1", "turn-2");
  lose("turn-2", "turn-3");
  await team.until("turn_started", { fits: ({ turn_id }) => turn_id === "turn-3" });
  expect(team.told.filter(({ type }) => type === "answered")).toEqual([]);
  lose("turn-3", "turn-4");
  const answer = await team.until("answered", { fits: (event) => event.id === id });
  expect(answer).toMatchObject({ failed: true, text: expect.stringContaining("lost 3 times") });
  await team.until("notice", { fits: ({ message }) => message.includes("lost 3 times") });
  // The turn is ended, and the agent is free for what comes next.
  await team.until("turn_ended", { fits: ({ stop_reason }) => stop_reason === "aborted" });
  team.agent("boss").brain = () => "here again";
  expect((await team.ask("hello")).text).toBe("here again");
});

test("an approval request that a snapshot repeats is not published a second time", async () => {
  const team = await FakeTeam.up(pair, {
    boss: (_said, self) => self.askLeave("Bash", { command: "x" }),
  });
  const { session } = team.agent("boss");
  const id = await team.running.send("ask");
  await team.until("approval_requested");
  await team.stop();
  // Its log is cut off behind all of this, and a new part of it begins with what is still open.
  const open = session.log.slice();
  session.forgotten = session.lastSeq;
  session.happen({ type: "snapshot_begin", upto: session.forgotten, items: open.length });
  for (const event of open) session.happen(event);
  session.happen({ type: "snapshot_end", upto: session.forgotten });
  const before = team.told.length;
  await team.start();
  await using client = await team.connect();
  const { request } = await team.until("approval_requested");
  await client.request("approve", { request_id: request.request_id });
  const { text } = await team.until("answered", { fits: (event) => event.id === id });
  expect(text).toBe("allowed");
  const again = team.told.slice(before).filter(({ type }) => type === "turn_started");
  expect(again).toEqual([]);
});

test("a turn's text is no answer while a part of its task is open, also after a crash", async () => {
  const held = Promise.withResolvers<void>();
  const team = await FakeTeam.up(pair, {
    boss: async (_said, self) => {
      await self.send("coder", "a part");
      await held.promise;
      return "Asked.";
    },
    coder: () => "It is there.",
  });
  const { session } = team.agent("boss");
  const obey = session.onCommand;
  const came = Promise.withResolvers<string>();
  // It has the answer before its turn is over, and keeps it for the next one.
  session.onCommand = (command, client) => {
    if (command.type !== "message" || !command.text?.includes("It is there")) {
      return obey(command, client);
    }
    const { id = "", text } = command;
    session.happen({ type: "user_message", id, text, from: "coder" });
    session.happen({ type: "message_seen", id });
    client.answer(command, "ok");
    return came.resolve(id);
  };
  const job = await team.running.send("do it");
  const answer = await came.promise;
  await team.until("message_moved", { fits: ({ id, step }) => id === answer && step === "seen" });
  await team.stop();
  // Meanwhile it goes on, and deals with it.
  held.resolve();
  await vi.waitFor(() => expect(session.log.at(-1)?.type).toBe("done"), 10_000);
  const turn_id = "turn-after";
  session.happen({ type: "turn_started", turn_id, messages: [answer], cause: "message" });
  session.happen({ type: "text_delta", turn_id, block: 99, text: "Done." });
  session.happen({
    type: "done",
    turn_id,
    messages: [answer],
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    duration_ms: 1,
    stop_reason: "completed",
  });
  await team.start();
  expect(await team.until("answered", { fits: ({ id }) => id === job })).toMatchObject({
    text: "Done.",
    failed: false,
  });
});

test("an urgent question that ends a wait is delivered once, and that turn answers it", async () => {
  const team = await FakeTeam.up(pair, {
    boss: async (said, self) => {
      if (said !== "go") return "as a message";
      return (await self.send("coder", "do it", { wait: true })).text.includes("WHICH?")
        ? "the red one"
        : "no question";
    },
    coder: async (said, self) => {
      if (!said.includes("do it")) return "done";
      await self.send("boss", "WHICH?", { metadata: { priority: "urgent" } });
      return "asked";
    },
  });
  await team.running.send("go");
  const { message: question } = await team.until("message_sent", {
    fits: ({ message }) => message.content === "WHICH?",
  });
  const answer = await team.until("message_sent", {
    fits: ({ message }) => message.reply_to === question.id,
  });
  expect(answer.message.content).toBe("the red one");
  await team.until("message_moved", {
    fits: ({ id, step }) => id === question.id && ["seen", "returned"].includes(step),
  });
  expect(team.agent("boss").heard.filter((text) => text.includes("WHICH?"))).toEqual([]);
});

test("a message that the session does not give to its model is reported as failed, and the agent goes on", async () => {
  const team = await FakeTeam.up(pair, { boss: (said) => `I read: ${said}` });
  team.agent("boss").refuses = (text) => text === "/exit";
  expect(await team.ask("/exit")).toMatchObject({
    failed: true,
    text: expect.stringContaining("did not give this to its model"),
  });
  expect(await team.ask("are you there?")).toMatchObject({ text: "I read: are you there?" });
  expect(await team.running.teamRecords.bus.counts()).toEqual({});
});
