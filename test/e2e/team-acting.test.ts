import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noisePng } from "../support/noise-png.ts";
import type { PlainLine } from "../support/plain-team-client.ts";
import { PlainTeamClient } from "../support/plain-team-client.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: acting
lead: boss
policy:
  - { tool: NoSuchTool, action: deny }
agents:
  boss: { description: leads, prompt: p, workdir: work }
  coder: { description: codes, prompt: p, workdir: work }
`;

const LONG = "word ".repeat(5000);

const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/pass on (job-\\d)/' }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: do $1 } }]
  - when: { agent: boss, user: '/^run (\\w+)/' }
    tools: [{ name: Bash, input: { command: './mark.sh $1' } }]
  - when: { agent: boss, user: What is this }
    text: A picture.
  - when: { agent: boss, user: speak }
    text: ${LONG}
  - when: { agent: boss, user: be slow }
    text: too late
    delay_ms: 120000
  - when: { agent: boss, tool_result: { text: /accepted/ } }
    text: Asked.
  - when: { agent: coder, peer: '/do (job-\\d)/' }
    text: result of $1
  - when: { agent: boss, peer: '/result of (job-\\d)/' }
    text: Done with $1.
  - when: { agent: boss, tool_result: Bash }
    text: It has run.
default: { text: Very well. }
`;

const SLOW_MS = 300_000;

interface TurnPlace {
  readonly log_id: string;
  readonly turn_id: string;
  readonly session_seq: number;
}

interface Asked {
  readonly request_id: string;
  readonly remaining_ms: number;
}

test(
  "[TEAM-20] [TEAM-21] [TEAM-22] [TEAM-23] [TEAM-25] [TEAM-26] [TEAM-27] [TEAM-29] [TEAM-30] [TEAM-31] [TEAM-32] people act on requests, agents and messages over the socket, also after the team was killed",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(team, script);
    mkdirSync(stage.work);
    writeFileSync(join(stage.work, "mark.sh"), '#!/bin/sh\necho > "$1"\n', { mode: 0o755 });
    let run = await stage.up({ ready: ["boss", "coder"] });
    let client = await connect(stage);
    let observer = await PlainTeamClient.observe(stage);
    const pending = async (): Promise<Asked[]> =>
      ((await client.result("approvals"))["approvals"] as { request: Asked }[]).map(
        ({ request }) => request,
      );
    /** The team is killed, and the next process of it goes on; its agents have lived on. */
    const killTeam = async (...ready: string[]): Promise<void> => {
      run.child.kill("SIGKILL");
      await run.exited;
      run = await stage.up({ ready });
      client = await connect(stage);
      observer = await PlainTeamClient.observe(stage);
      expect(await observer.until("init")).toMatchObject({ read_only: true });
    };
    const cli = async (...args: string[]) =>
      (await stage.run(...args, "--state-dir", stage.stateDir)).out.trim();

    // A request: more time for it, for the next process of the team too, then another input.
    await client.result("send", { text: "run one" });
    const asked = (await client.until("approval_requested"))["request"] as Asked;
    const { request_id } = asked;
    expect(await codeOf(observer, "approve", { request_id })).toBe("read_only");
    expect(await codeOf(observer, "hold", { request_id, ms: 1000 })).toBe("read_only");
    const tenMinutes = 600_000;
    expect(await client.result("hold", { request_id, ms: tenMinutes })).toMatchObject({
      agent: "boss",
      remaining_ms: tenMinutes,
    });
    expect(await observer.until("approval_held")).toMatchObject({ by: "anna", request_id });
    await killTeam();
    await expect.poll(pending, { timeout: 30_000 }).toHaveLength(1);
    const [held] = await pending();
    expect(held?.remaining_ms).toBeGreaterThan(tenMinutes - 120_000);
    expect(await cli("hold", request_id, "20m")).toMatch(/^boss waits until [\d:]+\.$/);
    expect((await pending())[0]?.remaining_ms).toBeGreaterThan(tenMinutes);
    const updated_input = { command: "./mark.sh edited" };
    expect(await client.result("approve", { request_id, updated_input })).toEqual({
      agent: "boss",
    });
    expect(await observer.until("approval_resolved")).toMatchObject({
      by: "anna",
      outcome: "allowed",
      updated_input,
    });
    await client.until("answered");
    expect([existsSync(join(stage.work, "edited")), existsSync(join(stage.work, "one"))]).toEqual([
      true,
      false,
    ]);
    expect(await codeOf(client, "deny", { request_id })).toBe("already_resolved");
    expect(await codeOf(client, "hold", { request_id: "toolu_x", ms: 1 })).toBe("unknown_request");
    expect(await codeOf(client, "hello", { client: "mallory" })).toBe("not_allowed");

    // The same on the command line.
    const before = client.told.length;
    await client.result("send", { text: "run two" });
    const { request } = await client.until("approval_requested", { since: before });
    const { request_id: second } = request as Asked;
    const approve = ["approve", second, "--input", "-", "--state-dir", stage.stateDir];
    expect(await stage.runWith("[]", ...approve)).toMatchObject({
      code: 64,
      err: expect.stringContaining("not a JSON object"),
    });
    const input = JSON.stringify({ command: "./mark.sh typed" });
    expect(await stage.runWith(input, ...approve)).toMatchObject({ code: 0, out: "Allowed.\n" });
    await client.until("answered", { since: before });
    expect(existsSync(join(stage.work, "typed"))).toBe(true);
    // A changed call stands in the records as what ran.
    expect(await cli("approvals", "--decided")).toMatch(
      /allowed by anna +Bash \.\/mark\.sh edited \(changed; asked: \.\/mark\.sh one\)\n.*allowed by .*command line\) +Bash \.\/mark\.sh typed \(changed; asked: \.\/mark\.sh two\)$/,
    );
    expect(await cli("log", "--search", "changed; asked")).toMatch(
      /user +boss +info .*allowed by anna: Bash \.\/mark\.sh edited \(changed; asked: \.\/mark\.sh one\)\n.*allowed by .*command line\): Bash \.\/mark\.sh typed \(changed; asked: \.\/mark\.sh two\)$/,
    );

    // The lead in the middle of a turn.
    expect(await codeOf(client, "abort", { agent: "boss" })).toBe("wrong_state");
    const since = client.told.length;
    await client.result("send", { text: "be slow" });
    await client.until("turn_started", { since });
    expect(await codeOf(client, "hibernate", { agent: "boss" })).toBe("wrong_state");
    expect(await codeOf(observer, "abort", { agent: "boss" })).toBe("read_only");
    expect(await cli("abort", "boss")).toBe("boss's turn ends.");
    expect(await client.until("turn_ended", { since })).toMatchObject({ stop_reason: "aborted" });

    // An agent that is stopped has no process and stays stopped; its message waits.
    expect(await cli("set", "coder", "--model", "haiku", "--mode", "acceptEdits")).toBe(
      "coder is changed.",
    );
    expect(await client.result("stop", { agent: "coder" })).toEqual({ agent: "coder" });
    const processesOf = (agent: string): unknown[] =>
      stage.processes().filter(({ command }) => command.includes(`/agents/${agent}/`));
    expect(processesOf("coder")).toEqual([]);
    expect(await coderIn(client)).not.toHaveProperty("pid");
    expect(await codeOf(client, "stop", { agent: "coder" })).toBe("wrong_state");
    expect(await codeOf(client, "stop", { agent: "nobody" })).toBe("agent_not_found");
    const { id } = await client.result("send", { text: "pass on job-1" });
    await client.until("message_sent", { fits: isToCoder });
    await killTeam("boss");
    await expect
      .poll(() => coderIn(client))
      .toMatchObject({
        state: "stopped",
        reason: "stopped by anna",
        inbox: 1,
      });
    expect(processesOf("coder")).toEqual([]);
    expect(await cli("start", "coder")).toBe("coder is being started.");
    const done = await client.until("answered", {
      fits: (line: PlainLine) => line.id === id,
    });
    expect(done).toMatchObject({ text: "Done with job-1." });
    // What was set for its session is still so.
    const models = (await stage.requests("coder")).map(({ body }) => String(body?.["model"]));
    expect(models.at(-1)).toContain("haiku");
    expect(await coderIn(client)).toMatchObject({ mode: "acceptEdits" });

    // From the message to its turn in the agent's own log.
    const { turn } = (await client.result("message", { id })) as { turn: TurnPlace };
    const history = await client.result("agent_history", { agent: "boss", limit: 1000 });
    expect(history["log_id"]).toBe(turn.log_id);
    expect(history["events"]).toContainEqual(
      expect.objectContaining({
        type: "turn_started",
        seq: turn.session_seq,
        turn_id: turn.turn_id,
        messages: [id],
      }),
    );

    // A picture, and a long text.
    const picture = noisePng(8);
    writeFileSync(join(stage.root, "shot.png"), Buffer.from(picture, "base64"));
    expect(await cli("send", "What is this?", "--image", "shot.png")).toContain("A picture.");
    expect(JSON.stringify((await stage.requests("boss")).at(-1)?.body?.messages)).toContain(
      `"media_type":"image/png","data":"${picture}"`,
    );
    expect(await codeOf(client, "send", { text: "go", to: "coder" })).toBe("not_allowed");
    await run.ask("speak");
    const { seq } = await observer.until("said", { fits: isLong });
    const whole = (await observer.result("text", { seq }))["text"] as string;
    expect(whole.trim()).toBe(LONG.trim());
    expect(await codeOf(observer, "text", { seq: 1 })).toBe("unknown_request");

    // Each of the three starts has warned of the policy. What is acknowledged stays so.
    const { notices } = (await client.result("notices")) as { notices: { id: string }[] };
    expect(notices).toHaveLength(3);
    const [newest] = notices;
    expect(await codeOf(observer, "ack", { id: newest?.id })).toBe("read_only");
    expect(await client.result("ack", { id: newest?.id })).toEqual({ acknowledged: true });
    expect(await codeOf(client, "ack", { id: newest?.id })).toBe("unknown_request");
    expect(await observer.until("notice_acknowledged")).toMatchObject({ by: "anna" });
    await killTeam("boss", "coder");
    expect(await client.result("status")).toMatchObject({ open_notices: 3 });
    expect((await cli("notices")).split("\n")).toHaveLength(4);
    expect(await cli("ack", "--all")).toBe("Acknowledged: 3.");
    expect(await cli("notices")).toBe("No open notices.");

    expect(await cli("hibernate", "coder")).toBe("coder hibernates.");
    await expect.poll(() => processesOf("coder")).toEqual([]);
    expect(await codeOf(client, "hibernate", { agent: "coder" })).toBe("wrong_state");
    expect(await stage.rehearsal.failures()).toEqual([]);
  },
);

async function codeOf(client: PlainTeamClient, method: string, params: object): Promise<string> {
  return ((await client.refusal(method, params))["data"] as { code: string }).code;
}

const isLong = (line: PlainLine): boolean => line["bytes"] !== undefined;

const isToCoder = (line: object): boolean =>
  (line as { message: { to_agent: string } }).message.to_agent === "coder";

async function connect(stage: TeamStage): Promise<PlainTeamClient> {
  const client = await PlainTeamClient.connect(stage);
  await client.result("hello", { client: "anna", fixed: true });
  return client;
}

async function coderIn(client: PlainTeamClient): Promise<object | undefined> {
  const { agents } = await client.result("status");
  return (agents as { id: string }[]).find(({ id }) => id === "coder");
}
