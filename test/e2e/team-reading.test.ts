import { expect, test, vi } from "vitest";
import type { TeamMethod } from "../../src/wire/team/control-methods.ts";
import { readResults } from "../../src/wire/team/read-results.ts";
import type { TeamResults } from "../../src/wire/team/method-results.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { openStoppedTeam } from "../../src/team/find-and-connect.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: reading
lead: boss
timeouts: { idle: 2 }
limits: { inline_bytes: 1000000 }
budget: { usd: 100, task: { turns: 40 } }
policy:
  - { agents: [boss], tool: Bash, action: allow }
agents:
  boss: { description: leads, prompt: You lead., budget: { turns: 50 } }
  coder:
    description: codes
    prompt: You code.
    mcp:
      none: { command: "false", env: { NO_KEY: no-secret } }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/^job/' }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: part of the job, wait: true } }]
  - when: { agent: boss, tool_result: { text: /result of the part/ } }
    text: The job is done.
  - when: { agent: coder, peer: part of the job }
    text: Here is the result of the part.
  - when: { agent: boss, user: '/^run/' }
    tools: [{ name: Bash, input: { command: sleep 3 } }]
  - when: { agent: boss, tool_result: {} }
    text: It has run.
  - when: { agent: boss, user: '/^long/' }
    text: That was long.
default: { text: UNEXPECTED }
`;

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly data?: { readonly code?: string } };
}

/** A client of the control socket as anybody would write it. */
class RawClient {
  readonly #lines: SessionLineClient;
  #last = 0;

  constructor(stage: TeamStage) {
    this.#lines = new SessionLineClient(controlSocket(stage.stateDir));
  }

  async call(method: string, params: object): Promise<Answer> {
    const id = (this.#last += 1);
    this.#lines.send({ jsonrpc: "2.0", id, method, params });
    return vi.waitUntil(
      () =>
        this.#lines.told.find((line) => "jsonrpc" in line && line["id"] === id) as
          | Answer
          | undefined,
      { timeout: 30_000, interval: 10 },
    );
  }

  /** What is answered is what the schema says. */
  async ask<Method extends TeamMethod>(
    method: Method,
    params: object = {},
  ): Promise<TeamResults[Method]> {
    const { result, error } = await this.call(method, params);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    Object.entries(readResults)
      .find(([name]) => name === method)?.[1]
      .parse(result);
    return result as TeamResults[Method];
  }

  async refusal(method: TeamMethod, params: object): Promise<string | undefined> {
    return (await this.call(method, params)).error?.data?.code;
  }
}

const none = "5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11";

test(
  "[TEAM-10] [TEAM-11] [TEAM-12] a program reads all that a team has written down, also of agents that sleep and of a killed team",
  { timeout: 240_000 },
  async () => {
    const stage = new TeamStage(team, script);
    const run = await stage.up({ ready: ["boss", "coder"] });
    const client = new RawClient(stage);
    expect(await run.ask("job please")).toBe("The job is done.");
    const job = (await client.ask("tasks", { state: "completed", agent: "user" })).tasks[0]!;

    // What was spent, and on what.
    const [ofTeam, ofBoss] = (await client.ask("budgets")).budgets;
    expect(ofTeam).toMatchObject({ account: "team", limit: { usd: 100 } });
    expect(ofBoss).toMatchObject({ account: "agent", id: "boss", limit: { turns: 50 } });
    expect(ofBoss?.spent.turns).toBeGreaterThanOrEqual(1);
    const report = await client.ask("task", { id: job.id });
    expect(report).toMatchObject({
      task: { id: job.id, state: "completed" },
      children: [{ to_agent: "coder", title: "part of the job" }],
      messages: [{ content: "job please" }],
    });
    expect(report.spent.tokens).toBeGreaterThan(0);
    const described = await client.ask("team");
    expect(described.agents.map(({ id, may_message }) => [id, may_message])).toEqual([
      ["boss", ["coder"]],
      ["coder", ["boss"]],
    ]);
    expect(JSON.stringify(described)).not.toContain("no-secret");

    // What an agent does now, and its session by the team and by itself.
    const running = run.ask("run it");
    await run.until("tool_called", { fits: ({ tool }) => tool === "Bash" });
    const { agents } = await client.ask("status");
    expect(agents[0]).toMatchObject({
      state: "working",
      mode: "default",
      model: expect.stringContaining("claude"),
      restarts: 0,
      turn: { started_at: expect.stringMatching(/Z$/) },
      current: { tool: "Bash", summary: "sleep 3" },
    });
    const session = new SessionLineClient(agents[0]!.observe_socket!);
    session.send({ type: "history", before: 20, limit: 1000, ref: "h" });
    const own = await session.until("history");
    const byTeam = await client.ask("agent_history", { agent: "boss", before: 20, limit: 1000 });
    expect(byTeam.events).toEqual(own["events"]);
    expect(byTeam.events.length).toBeGreaterThan(5);
    session.socket.destroy();
    expect(await running).toBe("It has run.");

    const text = `long ${"ü".repeat(200_000)}`;
    const { id: long } = await client.ask("send", { text });
    await run.until("answered", { fits: ({ id }) => id === long });
    const since = run.told.length;
    for (const agent of ["boss", "coder"]) {
      await run.until("agent_state", {
        since: agent === "boss" ? since : 0,
        fits: (event) => event.agent === agent && event.state === "hibernated",
      });
    }

    // Asleep, and with all that was said to them.
    const ofSleeper = await client.ask("agent_history", { agent: "coder", limit: 1000 });
    expect(ofSleeper.more).toBe(false);
    const joined = await client.ask("agent_history", { agent: "coder", limit: 1000, whole: true });
    expect(JSON.stringify(joined.events)).toContain("Here is the result of the part.");
    const { events } = await client.ask("agent_history", { agent: "boss", limit: 1000 });
    const message = events.find((event) => event.type === "user_message" && event.id === long);
    expect(message).toMatchObject({ text: { bytes: Buffer.byteLength(text) } });
    const { blob } = (message as { text: { blob: string } }).text;
    const part = { agent: "boss", blob, offset: 5, limit: 4 };
    const read = await client.ask("agent_blob", part);
    expect(Buffer.from(read.data, "base64").toString()).toBe("üü");

    const refused = [
      await client.refusal("agent_history", { agent: "nobody" }),
      await client.refusal("agent_blob", { agent: "coder", blob: "0".repeat(64) }),
      await client.refusal("agent_history", { agent: "../boss" }),
      await client.refusal("task", { id: none }),
      await client.refusal("timeline", { root: none }),
      await client.refusal("timeline", { types: ["no_such_type"] }),
      await client.refusal("tasks", { all: true, before: "?" }),
      await client.refusal("log_stats", { since: "2026-11-18T10:00:00" }),
    ];
    expect(refused).toEqual([
      "agent_not_found",
      "blob_not_found",
      "invalid_params",
      "unknown_request",
      "unknown_request",
      "invalid_params",
      "invalid_params",
      "invalid_params",
    ]);
    const page = await client.ask("timeline", { root: job.id, limit: 1000 });
    expect(page.events.map(({ type }) => type)).toContain("answered");
    const found = await client.ask("log", { text: "PART OF THE" });
    expect(found.entries.length).toBeGreaterThan(0);
    expect(found.entries[0]).toMatchObject({ message_id: expect.any(String) });
    const stats = await client.ask("log_stats", { bucket_ms: 3_600_000 });
    expect(stats.buckets.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3);

    run.child.kill("SIGKILL");
    await run.exited;
    {
      await using stopped = await openStoppedTeam(stage.stateDir);
      const again = await stopped.request("agent_history", { agent: "coder", limit: 1000 });
      expect(again).toEqual(ofSleeper);
      expect(await stopped.request("agent_blob", part)).toEqual(read);
      expect(await stopped.request("timeline", { root: job.id, limit: 1000 })).toMatchObject({
        events: page.events,
        before: page.before,
      });
      expect(await stopped.request("team", {})).toEqual(described);
      expect(await stopped.request("task", { id: job.id })).toEqual(report);
      expect((await stopped.request("log", { text: "PART OF THE" })).entries).toEqual(
        found.entries,
      );
    }
    const place = ["--json", "--state-dir", stage.stateDir];
    const listed = await stage.run("tasks", "--state", "completed", "--agent", "coder", ...place);
    expect(
      listed.out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { title: string }).title),
    ).toEqual(["part of the job"]);
    const searched = await stage.run("log", "--since", "1h", "--search", "part of the", ...place);
    expect(searched.out.trim().split("\n")).toHaveLength(found.entries.length);

    // The next process goes on with the same timeline.
    await (await stage.up({ ready: [] })).until("team_started");
    const next = new RawClient(stage);
    const later = await next.ask("timeline", { after: page.after, types: ["team_started"] });
    expect(later).toMatchObject({
      log_id: page.log_id,
      events: [{ type: "team_started", restarted: true }],
    });
    expect(await next.ask("agent_history", { agent: "coder", limit: 1000 })).toEqual(ofSleeper);
  },
);
