import { expect, test, vi } from "vitest";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/connect-with-retries.ts";
import { connectTeamOnce } from "../../../test/support/connect-team.ts";
import { controlSocket } from "../state-dir/control-socket-path.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const teamOf = (more = ""): string => `
lead: boss
${more}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, may_message: [boss] }
`;

const messageId = /"message_id":"([^"]+)"/;

test("an approval records who decided, a person or the policy with its rule, also over a restart", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: (said, self) => self.askLeave("Bash", { command: said }),
  });
  const byRule = { outcome: "allowed", rule: "1: allow Bash(npm test*)" } as const;
  const decided = { type: "approval_resolved", request_id: "toolu_rule", ...byRule } as const;
  team.agent("boss").session.happen(decided);
  const byPolicy = { ...byRule, by: "policy" };
  expect(await team.until("approval_resolved")).toMatchObject(byPolicy);

  await using anna = await connectTeamOnce(controlSocket(team.stateDir), "anna");
  const asked = team.ask("rm -rf /");
  const { request } = await team.until("approval_requested", {
    fits: (event) =>
      event.request.type === "approval_request" && event.request.input["command"] === "rm -rf /",
  });
  const request_id = request.request_id;
  await anna.request("deny", { request_id, reason: "no" });
  expect((await asked).text).toBe("denied");
  expect(
    await team.until("approval_resolved", { fits: (event) => event.request_id === request_id }),
  ).toMatchObject({ agent: "boss", outcome: "denied", by: "anna" });
  await expect(anna.request("approve", { request_id })).rejects.toMatchObject({
    code: "already_resolved",
    data: { outcome: "denied", by: "anna" },
  });

  // The session tells of a decision only to the next process: it still has the name.
  team.agent("boss").brain = () => "later";
  const { records } = team.running.teamRecords.bus;
  await records.write([
    { kind: "put", collection: "deciders", key: "toolu_old", value: { by: "anna" } },
  ]);
  // All events are heard again, as after a crash.
  await team.running.agents.get("boss")?.record.save({ since: 0 });
  await team.stop();
  const resolved = {
    type: "approval_resolved",
    request_id: "toolu_old",
    outcome: "allowed",
  } as const;
  team.agent("boss").session.happen({ ...resolved, by: "switchboard" });
  await team.start();
  expect(
    await team.until("approval_resolved", { fits: (event) => event.request_id === "toolu_old" }),
  ).toMatchObject({ by: "anna" });
  // And nothing is told twice.
  const told = team.told.flatMap((event) =>
    event.type === "approval_resolved" ? [event.request_id] : [],
  );
  expect(new Set(told).size).toBe(told.length);
});

test("a sender over its rate is refused with the time to wait, also after a restart", async () => {
  const team = await FakeTeam.up(teamOf("limits: { per_pair_per_minute: 3 }"), {
    boss: async (said, self) =>
      said === "go" ? (await self.send("coder", "do it", { wait: true })).text : "heard",
  });
  // Request and answer are two of the three.
  await team.ask("go");
  await team.stop();
  await team.start();
  await team.agent("boss").send("coder", "for your information", { type: "info" });
  const { text } = await team.ask("go");
  expect(text).toMatch(/^Error -32002 \(rate_limited\): boss and coder have exchanged 3 messages/);
  const retryAfter = Number(/"retry_after":(\d+)/.exec(text)?.[1]);
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(await team.until("refused")).toMatchObject({
    error: { code: "rate_limited", data: { retry_after: retryAfter, limit: 3 } },
  });
  await using client = await team.connect();
  expect(await client.request("log", { level: "WARN" })).toMatchObject({
    entries: [{ level: "WARN", from_agent: "boss", success: false }],
  });
  expect(await client.request("status", {})).toMatchObject({ refusals: 1 });
});

test("the user's message is accepted once under its id, and another text under that id is refused", async () => {
  const team = await FakeTeam.up(teamOf(), { boss: (said) => said });
  const id = await team.running.send("do it");
  expect(await team.running.send("do it", { id })).toBe(id);
  const conflict = { code: "message_conflict" };
  await expect(team.running.send("do that", { id })).rejects.toMatchObject(conflict);
  await team.until("answered");
  expect(team.agent("boss").heard).toEqual(["do it"]);
});

test("a wait that would close a circle of waits is refused, also under another root", async () => {
  const coderWaits = Promise.withResolvers<void>();
  const team = await FakeTeam.up(teamOf(), {
    boss: async (said, self) => {
      if (said !== "go") return "at your service";
      await coderWaits.promise;
      return (await self.send("coder", "and you?", { wait: true })).text;
    },
  });
  const asked = team.ask("go");
  await team.until("turn_started", { fits: ({ agent }) => agent === "boss" });
  const waiting = team.agent("coder").send("boss", "are you there?", { wait: true });
  await team.until("message_sent", { fits: ({ message }) => message.from_agent === "coder" });
  coderWaits.resolve();
  expect((await asked).text).toContain(
    "Error -32005 (wait_refused): boss waits for coder waits for boss: nobody could go on.",
  );
  // The first goes on as soon as the other is free.
  expect((await waiting).text).toContain("at your service");
});

test("a wait ends at once when the awaited agent has already asked a question", async () => {
  const team = await FakeTeam.up(teamOf(), {
    boss: async (said, self) => {
      if (said !== "go") return "not before";
      const results = [(await self.send("coder", "do it", { wait: true })).text];
      while (results.at(-1)?.includes("asks something first")) {
        const [, question] = /\(message ([0-9a-f-]+)\)/.exec(results.at(-1) ?? "") ?? [];
        const reply = { reply_to: question, wait: true };
        results.push((await self.send("coder", `reply ${results.length}`, reply)).text);
      }
      return results.map((text) => text.split("\n").slice(1, 2).join("")).join("; ");
    },
    coder: async (_said, self) => {
      // Two at once: the second finds no open wait.
      const first = self.send("boss", "how?", { wait: true });
      const second = self.send("boss", "when?", { wait: true });
      const answers = await Promise.all([first, second]);
      return answers.map(({ text }) => text.split("\n")[1]).join(" and ");
    },
  });
  const { text } = await team.ask("go");
  expect(text).toMatch(/^(how|when)\?; (how|when)\?; reply [12] and reply [12]$/);
  expect(team.told.filter(({ type }) => type === "turn_started")).toHaveLength(2);
});

test("an expired message becomes a dead letter that is reported and can be sent again", async () => {
  const free = Promise.withResolvers<string>();
  const team = await FakeTeam.up(teamOf(), {
    boss: async (said, self) => {
      if (said !== "go") return said;
      await self.send("coder", "first");
      return (await self.send("coder", "second", { metadata: { ttl: 1 } })).text;
    },
    coder: (said) => (said.includes("first") ? free.promise : "second is done"),
  });
  const asked = team.ask("go");
  const sent = await team.until("message_sent", {
    fits: ({ message }) => message.content === "second",
  });
  const { id } = sent.message;
  await new Promise((resolve) => setTimeout(resolve, 1100));
  free.resolve("first is done");
  expect(
    await team.until("message_moved", {
      fits: (event) => event.id === id && event.step === "dead",
    }),
  ).toMatchObject({ reason: "its time to live was over" });
  expect((await asked).text).toContain("Your message was not delivered to coder");

  await using client = await team.connect();
  expect(await client.request("dead_letters", {})).toMatchObject({
    dead_letters: [{ cause: "expired", fate: "open", message: { id, content: "second" } }],
  });
  const again = await client.request("resend", { id });
  expect(again.id).not.toBe(id);
  const done = await team.until("task_changed", {
    fits: ({ task }) => task.id === again.id && task.state === "completed",
  });
  const answer = await client.request("message", { id: done.task.outcome ?? "" });
  expect(answer.message).toMatchObject({ to_agent: "boss", content: "second is done" });
  expect(await client.request("dead_letters", {})).toEqual({ dead_letters: [] });
  expect(await client.request("dead_letters", { id })).toMatchObject({
    dead_letters: [{ fate: "resent", resent_as: again.id, resentAs: again.id }],
  });
  await expect(client.request("resend", { id })).rejects.toMatchObject({ code: "unknown_request" });
});

test("a message that expires between claim and push is not pushed, but becomes a dead letter", async () => {
  const team = await FakeTeam.up(teamOf("budget: { turns: 9 }"), {});
  const { spending } = team.running.teamRecords;
  const read = spending.of.bind(spending);
  // The records are slow when they are read again: the message is claimed in time, and judged too late.
  const slowRead = vi.fn<typeof read>(async (purse) => {
    await new Promise((resolve) => setTimeout(resolve, 3500));
    return read(purse);
  });
  vi.spyOn(spending, "of").mockImplementationOnce(read).mockImplementationOnce(slowRead);
  const { text } = await team.agent("boss").send("coder", "quick", { metadata: { ttl: 3 } });
  const id = messageId.exec(text)?.[1];
  await team.until("message_moved", { fits: (event) => event.id === id && event.step === "dead" });
  expect(slowRead).toHaveBeenCalledOnce();
  expect(team.agent("coder").heard).toEqual([]);
  await using client = await team.connect();
  expect(await client.request("dead_letters", {})).toMatchObject({
    dead_letters: [{ cause: "expired", attempts: 0, message: { id } }],
  });
});

test("an idle agent hibernates until work comes; a note does not wake it; one that waits for a person stays up", async () => {
  let stillAsleep = false;
  let asleepAt = 0;
  const bossSleeps = Promise.withResolvers<void>();
  const team = await FakeTeam.up(teamOf("timeouts: { idle: 0.2 }"), {
    boss: async (said, self) => {
      if (said === "ask") return self.askLeave("Bash", { command: "x" });
      return said === "go" ? (await self.send("coder", "do it")).text : "awake";
    },
    coder: async (_said, self) => {
      await bossSleeps.promise;
      await self.send("boss", "by the way", { type: "info" });
      await new Promise((resolve) => setTimeout(resolve, 300));
      stillAsleep = !team.told.some(
        (event) =>
          event.type === "agent_state" &&
          event.agent === "boss" &&
          event.state === "starting" &&
          event.seq > asleepAt,
      );
      return "done";
    },
  });
  const asked = team.ask("go");
  const ended = await team.until("turn_ended", { fits: ({ agent }) => agent === "boss" });
  const asleep = {
    fits: (event: { agent: string; state: string }) =>
      event.agent === "boss" && event.state === "hibernated",
  };
  asleepAt = (await team.until("agent_state", { since: team.told.indexOf(ended), ...asleep })).seq;
  bossSleeps.resolve();
  expect((await asked).text).toBe("awake");
  expect(stillAsleep).toBe(true);
  const heard = team.agent("boss").heard.slice(1);
  expect(heard.map((text) => /by the way|done/.exec(text)?.[0])).toEqual(["by the way", "done"]);
  expect(team.agent("boss").turns).toBe(2);

  const since = team.told.length;
  const decided = team.ask("ask");
  const { request } = await team.until("approval_requested", { since });
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(team.running.agents.get("boss")?.state).toBe("waiting");
  await using client = await team.connect();
  await client.request("approve", { request_id: request.request_id });
  expect((await decided).text).toBe("allowed");
  await team.until("agent_state", { since, ...asleep });
});

const ask = (method: string, params?: object) => ({ jsonrpc: "2.0", id: 7, method, params });

test("the control socket and the tools use the numbers of the error table", async () => {
  const team = await FakeTeam.up(teamOf("timeouts: { receive: 0.3 }"), {
    coder: () => new Promise<never>(() => {}),
  });
  const lines = channel(await dial(controlSocket(team.stateDir)), jsonLines);
  const received = lines[Symbol.asyncIterator]();
  const answerTo = async (
    line: unknown,
  ): Promise<{ id: unknown; error: { code: number; data: object } }> => {
    await lines.send(line);
    for (;;) {
      const { value } = (await received.next()) as {
        value: { ok: true; value: { jsonrpc?: string } };
      };
      if (value.value.jsonrpc) return value.value as never;
    }
  };
  expect(await answerTo({ jsonrpc: "2.0" })).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await answerTo(ask("fly", {}))).toMatchObject({ id: 7, error: { code: -32601 } });
  expect(await answerTo(ask("send", {}))).toMatchObject({ id: 7, error: { code: -32602 } });
  expect(await answerTo(ask("restart", { agent: "nobody" }))).toMatchObject({
    error: { code: -32000, data: { code: "agent_not_found" } },
  });
  vi.spyOn(team.running.teamRecords.bus, "counts").mockRejectedValueOnce(
    new Error("broken inside"),
  );
  expect(await answerTo(ask("status", {}))).toMatchObject({ error: { code: -32603 } });
  lines.trySend(new TextEncoder().encode("{broken\n"));
  expect(await answerTo(ask("ping", {}))).toMatchObject({ id: null, error: { code: -32700 } });
  await lines.close();

  const boss = team.agent("boss");
  const unanswered = await boss.send("coder", "are you well?", { type: "info", wait: true });
  expect(unanswered).toMatchObject({ isError: true });
  expect(unanswered.text).toContain("Error -32001 (timeout)");
  expect(unanswered.text).toContain('"timeout_seconds":0.3,"agent_id":"coder"');
  expect((await boss.send("nobody", "x")).text).toContain("Error -32000 (agent_not_found)");
  // Only the lead talks with the user, and not even the lead by a message.
  for (const id of ["boss", "coder"]) {
    const toUser = await team.agent(id).send("user", "listen");
    expect(toUser.text).toContain("Error -32003 (not_allowed)");
  }
  expect((await boss.send("coder", "x", { type: "song" })).text).toMatch(/type/);
  expect((await boss.send("coder", "fine")).text).toMatch(messageId);
});

test("a message that is too large or has no recipient is refused with a typed error, and counted", async () => {
  const team = await FakeTeam.up(teamOf(), {});
  const boss = team.agent("boss");
  const refused = {
    thinking: await boss.send("coder", "x", { thinking: "x".repeat(102_401) }),
    content: await boss.send("coder", "x".repeat(1_048_577)),
    name: await boss.send("Grand Boss", "x"),
    longName: await boss.send("x".repeat(100_000), "x"),
  };
  expect(refused.thinking.text).toMatch(
    /^Error -\d+ \(message_too_large\): thinking: 102401 bytes/,
  );
  expect(refused.content.text).toMatch(/^Error -\d+ \(message_too_large\): content: 1048577 bytes/);
  expect(refused.name.text).toMatch(
    /^Error -32000 \(agent_not_found\): There is no agent Grand Boss/,
  );
  expect(refused.longName.text.length).toBeLessThan(1000);
  const codes = ["message_too_large", "message_too_large", "agent_not_found", "agent_not_found"];
  await expect.poll(() => team.refusals(), { timeout: 20_000 }).toEqual(codes);
  await expect(team.running.send("x".repeat(1_048_577))).rejects.toMatchObject({
    code: "message_too_large",
  });
  expect(
    await team.until("refused", { fits: ({ from_agent }) => from_agent === "user" }),
  ).toMatchObject({ to_agent: "boss", error: { code: "message_too_large" } });
  await using client = await team.connect();
  expect(await client.request("status", {})).toMatchObject({ refusals: 5 });
  const { entries } = await client.request("log", { level: "ERROR" });
  expect(entries.map(({ to_agent }) => to_agent)).toContain("Grand Boss");
  expect(entries).toHaveLength(5);
});

test("an urgent message cuts a turn short if its sender may do that, and else joins between two tools", async () => {
  const end = Promise.withResolvers<string>();
  const team = await FakeTeam.up(
    `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, may_interrupt: [boss] }
  tester: { description: tests, prompt: p, may_interrupt: [coder] }
`,
    { boss: () => end.promise },
  );
  const asked = team.ask("go");
  await team.until("turn_started");
  const { session } = team.agent("boss");
  const pushOf = async (from: string, priority: string) => {
    await team.agent(from).send("boss", "fire", { type: "info", metadata: { priority } });
    const pushed = await session.until("message", {
      fits: (command) =>
        command.from === from && (command.text ?? "").includes(`priority: ${priority}`),
    });
    return pushed.priority;
  };
  expect(await pushOf("coder", "urgent")).toBe("now");
  expect(await pushOf("tester", "urgent")).toBe("next");
  end.resolve("done");
  await asked;
  expect(await pushOf("coder", "high")).toBe("next");
});

test("an exchange is held to `messages_per_root`, also when its messages are sent at once", async () => {
  const more = "limits: { messages_per_root: 5 }";
  const team = await FakeTeam.up(teamOf(more), {
    boss: async (_said, self) => {
      const notes = Array.from({ length: 9 }, (_, index) =>
        self.send("coder", `note ${index}`, { type: "info" }),
      );
      const sent = (await Promise.all(notes)).filter(({ isError }) => !isError);
      return `${sent.length} sent`;
    },
  });
  // The user's own message is the first of the five.
  expect((await team.ask("go")).text).toBe("4 sent");
  expect(team.refusals()).toEqual(Array.from({ length: 5 }, () => "loop_stopped"));
});
