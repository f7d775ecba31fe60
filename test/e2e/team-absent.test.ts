import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const boss = "boss: { description: leads, prompt: You lead. }";
const coder =
  "coder: { description: codes, prompt: You code., workdir: work, tools: { allow: [Bash] } }";
const teamOf = (...agents: string[]): string =>
  `name: absent\nlead: boss\nagents:\n${agents.map((line) => `  ${line}\n`).join("")}`;

const send = (content: string): string =>
  `{ name: mcp__team__send_message, input: { to: coder, content: ${content} } }`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: remember }
    tools: [${send("the word is PINEAPPLE")}]
  - when: { agent: boss, user: work }
    tools: [${send("a long job")}, ${send("a second job")}]
  - when: { agent: boss, tool_result: { text: /accepted/ } }
    text: I have asked.
  - when: { agent: boss, peer: '/no longer an agent|not delivered/' }
    text: The coder has left.
  - when: { agent: boss, peer: '/type: task_response/' }
    text: The coder has answered.
  - when: { agent: coder, peer: PINEAPPLE }
    text: I remember it.
  - when: { agent: coder, peer: a long job }
    tools: [{ name: Bash, input: { command: sleep 600 } }]
  - when: { agent: coder, peer: a second job }
    text: The second job is done.
default: { text: UNEXPECTED }
`;

const WITHIN_MS = 90_000;

test(
  "an agent that is removed from the file: tasks fail, resend is refused, and it keeps its conversation",
  { timeout: 400_000 },
  async () => {
    const stage = new TeamStage(teamOf(boss, coder), script);
    mkdirSync(stage.work);
    const first = await stage.up({ ready: ["boss", "coder"] });
    const cli = async (...args: string[]) => {
      const { code, out, err } = await stage.run(...args, "--state-dir", stage.stateDir);
      return { code, out: out.trim(), err };
    };

    // What a person says by `attach` is in the records, as if it had been sent.
    await stage.runWith("remember\n", "attach", "boss", "--state-dir", stage.stateDir);
    expect(await first.until("answered", { withinMs: WITHIN_MS })).toMatchObject({
      agent: "boss",
      text: "The coder has answered.",
    });
    const { message: said } = await first.until("message_sent", {
      fits: ({ message: sent }) => sent.from_agent === "user",
    });
    expect(said).toMatchObject({ to_agent: "boss", content: "remember" });
    expect((await cli("tasks", "--all")).out).toMatch(/completed .*user.*boss.*remember/);
    expect((await cli("log")).out).toMatch(/user +boss +task_request/);

    const client = await first.connect();
    await client.request("send", { text: "work" });
    await first.until("tool_called", {
      fits: ({ agent }) => agent === "coder",
      withinMs: WITHIN_MS,
    });
    const { message } = await first.until("message_sent", {
      fits: ({ message: sent }) => sent.content === "a second job",
      withinMs: WITHIN_MS,
    });
    await client[Symbol.asyncDispose]();
    first.child.kill("SIGKILL");
    await first.exited;

    // Left out, while it was at work.
    writeFileSync(stage.teamFile, teamOf(boss));
    const second = await stage.up({ ready: ["boss"] });
    await second.until("notice", {
      fits: (event) =>
        event.message === "coder is no longer in the team file: its conversation is kept.",
    });
    expect(await second.until("answered", { withinMs: WITHIN_MS })).toMatchObject({
      text: "The coder has left.",
    });
    expect((await cli("tasks")).out).toBe("No open tasks.");
    expect(await cli("dlq", "resend", message.id)).toMatchObject({
      code: 68,
      err: expect.stringContaining("coder is not an agent of this team now."),
    });
    expect((await cli("dlq")).out).toContain(message.id);
    second.child.kill("SIGTERM");
    await second.exited;

    // And back.
    writeFileSync(stage.teamFile, teamOf(boss, coder));
    const third = await stage.up({ ready: ["boss", "coder"] });
    await third.until("notice", {
      fits: (event) => event.message === "coder is back and continues its conversation.",
    });
    expect((await cli("dlq", "resend", message.id)).out).toContain("Sent again");
    await third.until("said", {
      fits: ({ agent, text }) => agent === "coder" && text === "The second job is done.",
      withinMs: WITHIN_MS,
    });
    expect((await cli("dlq")).out).toBe("No dead letters.");
    const asked = (await stage.requests("coder")).at(-1);
    expect(JSON.stringify(asked?.body?.messages)).toContain("PINEAPPLE");
    expect(await stage.rehearsal.failures()).toEqual([]);
  },
);
