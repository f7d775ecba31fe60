import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../session/log/open-log.ts";
import { LogIndex } from "../../session/stored-sessions.ts";
import { parseTeamParams } from "../../wire/team/control-methods.ts";
import { readResults } from "../../wire/team/read-results.ts";
import { pathsOfAgent } from "../host/local/agent-paths.ts";
import type { TeamReader } from "../core.ts";
import { readBlob, timelinePages } from "../core.ts";
import { openStoppedTeam } from "../find-and-connect.ts";
import type { Brain } from "../../../test/support/fake-agent.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

const yaml = `
lead: boss
budget: { usd: 5, task: { turns: 50 } }
agents:
  boss: { description: leads, prompt: Lead., model: opus }
  coder: { description: codes, prompt: Code., permission_mode: plan, budget: { turns: 9 } }
`;

/** The boss hands the work on, and says what came of it. */
const brains: Record<string, Brain> = {
  boss: async (said, self) => (await self.send("coder", `Please: ${said}`, { wait: true })).text,
};

/** The same questions to the running team and, after its end, to what it has left. */
async function bothWays(
  team: FakeTeam,
  look: (reader: TeamReader, isRunning: boolean) => Promise<void>,
): Promise<void> {
  const client = await team.connect();
  await look(client, true);
  await client.close();
  await team.stop();
  await using stopped = await openStoppedTeam(team.stateDir);
  await look(stopped, false);
}

test("[TEAM-10] timeline filters by type, by agent and by exchange, in a running and in a stopped team", async () => {
  const team = await FakeTeam.up(yaml, brains);
  const first = await team.running.send("one");
  await team.until("answered", { fits: ({ id }) => id === first });
  await team.ask("two");
  await bothWays(team, async (reader) => {
    const page = await reader.request("timeline", { types: ["message_sent"], limit: 1000 });
    expect(readResults.timeline.safeParse(page).error).toBeUndefined();
    expect(new Set(page.events.map(({ type }) => type))).toEqual(new Set(["message_sent"]));
    const ofCoder = await reader.request("timeline", { agent: "coder", limit: 1000 });
    expect(ofCoder.events.every((event) => JSON.stringify(event).includes('"coder"'))).toBe(true);
    expect(ofCoder.events.some(({ type }) => type === "message_moved")).toBe(true);
    const { events } = await reader.request("timeline", { root: first, limit: 1000 });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        "message_sent",
        "task_changed",
        "message_moved",
        "turn_started",
        "turn_ended",
        "answered",
      ]),
    );
    const roots = events.flatMap((event) =>
      event.type === "message_sent" ? [event.message.root_id] : [],
    );
    expect(new Set(roots)).toEqual(new Set([first]));
    const all: number[] = [];
    for await (const some of timelinePages(reader, { limit: 7, after: 0 })) {
      all.push(...some.map(({ seq }) => seq));
    }
    expect(all).toEqual(all.map((_, index) => index + 1));
    expect(all.length).toBeGreaterThanOrEqual(reader.init.last_seq);
    await expect(reader.request("timeline", { root: crypto.randomUUID() })).rejects.toMatchObject({
      code: "unknown_request",
    });
  });
});

test("[TEAM-14] team and [TEAM-15] budgets say what the file says and what was spent", async () => {
  const team = await FakeTeam.up(yaml, brains);
  await team.ask("one");
  await bothWays(team, async (reader) => {
    const described = await reader.request("team", {});
    expect(readResults.team.safeParse(described).error).toBeUndefined();
    expect(described).toMatchObject({
      name: "fake",
      agents: [
        { id: "boss", model: "opus" },
        { id: "coder", mode: "plan" },
      ],
    });
    const report = await reader.request("budgets", {});
    expect(readResults.budgets.safeParse(report).error).toBeUndefined();
    expect(report.budgets).toEqual([
      {
        account: "team",
        limit: { usd: 5 },
        spent: { usd: expect.closeTo(0.02), tokens: 20, turns: 2 },
      },
      { account: "agent", id: "boss", limit: {}, spent: { usd: 0.01, tokens: 10, turns: 1 } },
      {
        account: "agent",
        id: "coder",
        limit: { turns: 9 },
        spent: { usd: 0.01, tokens: 10, turns: 1 },
      },
    ]);
  });
});

test("[TEAM-15] budgets has the accounts of open tasks", async () => {
  const free = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, { boss: () => free.promise });
  const id = await team.running.send("Think long\nabout it");
  await team.until("turn_started");
  await using client = await team.connect();
  const { budgets } = await client.request("budgets", {});
  expect(budgets.at(-1)).toEqual({
    account: "task",
    id,
    title: "Think long",
    limit: { turns: 50 },
    spent: { usd: 0, tokens: 0, turns: 0 },
  });
  free.resolve("done");
});

test("[TEAM-16] status tells what an agent works on, and with what", async () => {
  const free = Promise.withResolvers<"allowed" | "denied">();
  const team = await FakeTeam.up(yaml, {
    boss: async (_said, self) => {
      const { session } = self;
      session.happen({ type: "model_changed", model: "claude-opus-9", effort: "high" });
      session.happen({ type: "mode_changed", mode: "acceptEdits" });
      session.happen({
        type: "background_tasks",
        tasks: [{ task_id: "b1", kind: "local_bash", description: "npm test" }],
      });
      session.happen({
        type: "tool_use",
        request_id: "toolu_x",
        tool: "Bash",
        input: { command: "sleep 9\necho" },
        turn_id: "turn-boss-1",
      });
      return free.promise;
    },
  });
  const id = await team.running.send("go");
  await team.until("tool_called");
  await using client = await team.connect();
  const { agents } = await client.request("status", {});
  const started = team.told.find(({ type }) => type === "agent_state");
  expect(agents[0]).toMatchObject({
    id: "boss",
    state: "working",
    since: expect.stringMatching(/^\d{4}-.*Z$/),
    model: "claude-opus-9",
    effort: "high",
    mode: "acceptEdits",
    tokens: 0,
    restarts: 0,
    turn: { id: "turn-boss-1", started_at: expect.stringMatching(/Z$/) },
    current: { request_id: "toolu_x", tool: "Bash", summary: "sleep 9" },
    background: [{ task_id: "b1", kind: "local_bash", description: "npm test" }],
  });
  expect(Date.parse(agents[0]!.since!)).toBeGreaterThanOrEqual(Date.parse(started!.at));
  expect(agents[1]).toMatchObject({ id: "coder", state: "ready", mode: "default" });
  expect(agents[1]).not.toHaveProperty("turn");
  expect(agents[1]).not.toHaveProperty("current");
  free.resolve("allowed");
  await team.until("answered", { fits: (event) => event.id === id });
  const [boss] = (await client.request("status", {})).agents;
  expect(boss).toMatchObject({ tokens: 10, turns: 1 });
  expect(boss).not.toHaveProperty("turn");
});

test("[TEAM-16] the settings of an agent are known after a restart of the team's process", async () => {
  const team = await FakeTeam.up(yaml, {});
  await team.ask("one");
  await team.stop();
  team.agent("coder").session.settings = { model: "m2", mode: "acceptEdits" };
  await team.start();
  await using client = await team.connect();
  const [, coder] = (await client.request("status", {})).agents;
  expect(coder).toMatchObject({ model: "m2", mode: "acceptEdits" });
});

test("[TEAM-18] tasks are filtered by state, agent and exchange, page by page", async () => {
  const team = await FakeTeam.up(yaml, brains);
  const roots: string[] = [];
  for (const text of ["one", "two", "three"]) roots.push((await team.ask(text)).id);
  await bothWays(team, async (reader) => {
    expect(await reader.request("tasks", {})).toEqual({ tasks: [] });
    const { tasks } = await reader.request("tasks", { state: "completed" });
    expect(tasks).toHaveLength(6);
    const ofCoder = await reader.request("tasks", { all: true, agent: "coder" });
    expect(ofCoder.tasks.map(({ title }) => title)).toEqual([
      "Please: three",
      "Please: two",
      "Please: one",
    ]);
    const ofRoot = await reader.request("tasks", { all: true, root: roots[1]! });
    expect(ofRoot.tasks.map(({ title }) => title)).toEqual(["Please: two", "two"]);
    expect((await reader.request("tasks", { agent: "coder" })).tasks).toEqual([]);
    expect((await reader.request("tasks", { state: "failed" })).tasks).toEqual([]);
    const paged: string[] = [];
    let before: string | undefined;
    do {
      const page = await reader.request("tasks", {
        all: true,
        limit: 4,
        ...(before && { before }),
      });
      expect(readResults.tasks.safeParse(page).error).toBeUndefined();
      paged.push(...page.tasks.map(({ id }) => id));
      ({ before } = page);
    } while (before !== undefined);
    expect(paged).toEqual(tasks.map(({ id }) => id));
    await expect(reader.request("tasks", { before: "x", all: true })).rejects.toMatchObject({
      code: "invalid_params",
    });
  });
});

test("[TEAM-19] task tells the tasks around it, its messages and its cost", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => {
      if (said !== "do all") return "I see.";
      const one = await self.send("coder", "first part");
      const first = /[0-9a-f-]{36}/.exec(one.text)?.[0] ?? "";
      const two = await self.send("coder", "second part", {
        wait: true,
        metadata: { depends_on: [first] },
      });
      return two.text;
    },
    coder: (said) => (said.includes("second") ? "x".repeat(5000) : "did it"),
  });
  const { id: root } = await team.ask("do all");
  await bothWays(team, async (reader) => {
    const whole = await reader.request("task", { id: root });
    expect(readResults.task.safeParse(whole).error).toBeUndefined();
    expect(whole).toMatchObject({
      task: { id: root, title: "do all", state: "completed" },
      parents: [],
      children: [{ title: "first part" }, { title: "second part" }],
      dependencies: [],
      dependents: [],
      messages: [{ id: root, content: "do all" }],
      spent: { tokens: expect.any(Number), turns: expect.any(Number) },
    });
    expect(whole.spent.turns).toBeGreaterThanOrEqual(3);
    const [first, second] = whole.children;
    expect(await reader.request("task", { id: second!.id })).toMatchObject({
      parents: [{ id: root }],
      children: [],
      dependencies: [{ id: first!.id }],
      messages: [{ content: "second part" }, { content: "x".repeat(4000) }],
      spent: { usd: 0.01, tokens: 10, turns: 1 },
    });
    expect((await reader.request("task", { id: first!.id })).dependents).toMatchObject([
      { id: second!.id },
    ]);
    await expect(reader.request("task", { id: crypto.randomUUID() })).rejects.toMatchObject({
      code: "unknown_request",
      hint: expect.stringContaining("switchboard tasks"),
    });
  });
});

test("[TEAM-17] log is filtered by time and by text, and log_stats counts it", async () => {
  const team = await FakeTeam.up(yaml, brains);
  await team.ask("paint the Fence");
  await delay(5);
  const between = new Date().toISOString();
  await delay(5);
  await team.ask("paint the door");
  await bothWays(team, async (reader) => {
    const texts = async (params: object): Promise<number> =>
      (await reader.request("log", { level: "DEBUG", ...params })).entries.length;
    const all = await texts({});
    expect(await texts({ since: between })).toBe(all / 2);
    expect(await texts({ since: between, text: "door" })).toBe(2);
    expect(await texts({ until: between })).toBe(all / 2);
    expect(await texts({ text: "FENCE" })).toBe(2);
    expect(await texts({ text: "paint the" })).toBe(4);
    expect(await texts({ text: "no such words" })).toBe(0);
    const { entries } = await reader.request("log", { text: "fence", limit: 1 });
    expect(entries[0]).toMatchObject({ to_agent: "coder", message_id: expect.any(String) });
    const stats = await reader.request("log_stats", { level: "DEBUG", bucket_ms: 1000 * 60 });
    expect(readResults.log_stats.safeParse(stats).error).toBeUndefined();
    expect(stats.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(all);
    const ofNone = await reader.request("log_stats", { from: "nobody" });
    expect(ofNone.buckets).toEqual([]);
  });
});

test("[TEAM-17] a time without a zone is refused", () => {
  for (const method of ["log", "log_stats"] as const) {
    expect(parseTeamParams(method, { since: "2026-11-18T10:00:00+01:00" }).ok).toBe(true);
    expect(parseTeamParams(method, { since: "2026-11-18T10:00:00" })).toMatchObject({
      ok: false,
      error: { code: "invalid_params" },
    });
  }
});

test("[TEAM-11] agent_history and [TEAM-12] agent_blob read the log of an agent that has no process", async () => {
  const team = await FakeTeam.up(yaml, {});
  const index = new LogIndex(pathsOfAgent(team.stateDir, "coder").state);
  const directory = index.create();
  const log = openLog(directory);
  index.assign("session-1", directory);
  const text = "ü".repeat(1_000_000);
  for (let n = 1; n <= 3; n += 1) log.append({ type: "message_seen", id: `m${n}` });
  for (const word of ["one ", "text"]) {
    log.append({ type: "text_delta", turn_id: "t", block: 0, text: word });
  }
  log.append({ type: "user_message", id: "big", text, quiet: false });
  await log.durable();
  onTestFinished(() => log.close());
  await bothWays(team, async (reader, isRunning) => {
    const newest = await reader.request("agent_history", { agent: "coder", limit: 2 });
    expect(readResults.agent_history.safeParse(newest).error).toBeUndefined();
    expect(newest).toMatchObject({
      agent: "coder",
      log_id: log.logId,
      events: [{ seq: 5 }, { seq: 6, type: "user_message", text: { bytes: 2_000_000 } }],
      more: true,
    });
    const older = await reader.request("agent_history", { agent: "coder", before: 5 });
    expect(older.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(older.more).toBe(false);
    const whole = await reader.request("agent_history", { agent: "coder", before: 6, whole: true });
    expect(whole.events.at(-1)).toMatchObject({ type: "text_delta", seq: 4, text: "one text" });
    const [, big] = newest.events as [unknown, { text: { blob: string } }];
    const { blob } = big.text;
    const part = await reader.request("agent_blob", { agent: "coder", blob, offset: 2, limit: 4 });
    expect(readResults.agent_blob.safeParse(part).error).toBeUndefined();
    expect(part).toMatchObject({
      bytes: 2_000_000,
      offset: 2,
      data: Buffer.from("üü").toString("base64"),
    });
    expect(Buffer.from(await readBlob(reader, "coder", blob)).toString()).toBe(text);
    const refusals = await Promise.allSettled([
      reader.request("agent_blob", { agent: "coder", blob: "0".repeat(64) }),
      reader.request("agent_history", { agent: "nobody" }),
      reader.request("agent_blob", { agent: "nobody", blob }),
      reader.request("agent_history", { agent: "boss" }),
    ]);
    expect(refusals.map((each) => each.status === "rejected" && each.reason.code)).toEqual([
      "blob_not_found",
      "agent_not_found",
      "agent_not_found",
      "agent_unavailable",
    ]);
    expect(isRunning || (await reader.request("status", {})).agents[1]?.state === "stopped").toBe(
      true,
    );
  });
});

test("[TEAM-14] a stopped team of an older version says that it does not know its file", async () => {
  const team = await FakeTeam.up(yaml, {});
  await team.running.teamRecords.timeline.flushed();
  await team.running.teamRecords.bus.records.write([
    { kind: "remove", collection: "team-description", key: "loaded" },
  ]);
  await team.stop();
  await using stopped = await openStoppedTeam(team.stateDir);
  for (const method of ["team", "budgets"] as const) {
    await expect(stopped.request(method, {})).rejects.toMatchObject({
      code: "team_not_running",
      hint: expect.stringContaining("switchboard up"),
    });
  }
});
