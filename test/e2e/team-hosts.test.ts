import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "@nats-io/transport-node";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import { JoinProcess } from "../support/tunnel/join-process.ts";

const team = `
name: away
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, host: h1 }
  tester: { description: tests, prompt: p, labels: { disk: big } }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/(job-\\d)/' }
    tools:
      - { name: mcp__team__send_message, input: { to: coder, content: part of $1, wait: true } }
  - when: { agent: boss, tool_result: { text: '/result of (job-\\d)/' } }
    text: Done with $1.
  - when: { agent: coder, peer: '/part of (job-\\d)/' }
    tools:
      - { name: mcp__team__send_message, input: { to: tester, content: test of $1, wait: true } }
  - when: { agent: coder, tool_result: { text: '/(job-\\d) is good/' } }
    text: result of $1
  - when: { agent: tester, peer: '/test of (job-\\d)/' }
    text: $1 is good
    delay_ms: 1500
default: { text: UNEXPECTED }
`;

const copies = (words: string, part: string): number => words.split(part).length - 1;

/** All that crosses the server, as text. */
async function listenToAll(url: string): Promise<() => string> {
  const nc = await connect({ servers: url });
  onTestFinished(() => nc.close());
  const heard: string[] = [];
  nc.subscribe(">", {
    callback: (_, { data }) => void heard.push(Buffer.from(data).toString("latin1")),
  });
  await nc.flush();
  return () => heard.join("\n");
}

describe.skipIf(!hasNats)("a team with agents on two other machines", () => {
  test(
    "waits for them visibly, works over them, and goes on when a host, the server and the team are killed",
    { timeout: 300_000 },
    async () => {
      const nats = await startNats();
      onTestFinished(nats.close);
      const { url } = nats.server;
      const heard = await listenToAll(url);
      const stage = new TeamStage(team, script);
      const bus = { args: ["--bus", url] };
      const first = await stage.up({ ready: ["boss"], ...bus });
      const waiting = await first.until("agent_state", {
        since: 0,
        fits: ({ agent, reason }) => agent === "coder" && reason !== undefined,
      });
      expect(waiting).toMatchObject({
        state: "starting",
        reason: "waits for the host h1, which is not there",
      });

      const keys = { ANTHROPIC_API_KEY: "sk-ant-of-this-host" };
      const join1 = (): JoinProcess => new JoinProcess(stage, "h1", url, ["--team", "away"], keys);
      let h1 = join1();
      const labels = ["--team", "away", "--labels", "disk=big"];
      const h2 = new JoinProcess(stage, "h2", url, labels, keys);
      for (const agent of ["coder", "tester"]) await first.ready(agent);
      expect(await first.ask("job-1 please")).toBe("Done with job-1.");

      const { out } = await stage.run("status", "--json", "--state-dir", stage.stateDir);
      const { agents } = JSON.parse(out) as {
        agents: { id: string; host?: string; pid?: number }[];
      };
      expect(agents.map(({ id, host, pid }) => [id, host, pid !== undefined])).toEqual([
        ["boss", undefined, true],
        ["coder", "h1", false],
        ["tester", "h2", false],
      ]);

      // The host of the agent in the middle is killed while that one waits for an answer.
      const pids = (): number[] =>
        stage
          .processes()
          .filter(({ command }) => /agent-socket.*agents\/coder/.test(command))
          .map(({ pid }) => pid);
      const before = pids();
      expect(before).toHaveLength(1);
      const second = first.ask("job-2 please");
      await expect.poll(async () => JSON.stringify(await h2.requests("tester"))).toContain("job-2");
      await h1.kill();
      h1 = join1();
      expect(await second).toBe("Done with job-2.");
      expect(pids()).toEqual(before);

      const third = first.ask("job-3 please");
      await expect.poll(async () => JSON.stringify(await h2.requests("tester"))).toContain("job-3");
      await nats.server.kill();
      await nats.server.start();
      expect(await third).toBe("Done with job-3.");

      // The team's process is killed: the next one finds the agents where they are.
      const fourth = first.ask("job-4 please").catch(() => "cut off");
      await expect.poll(async () => JSON.stringify(await h2.requests("tester"))).toContain("job-4");
      first.child.kill("SIGKILL");
      await first.exited;
      await fourth;
      const next = await stage.up({ ready: ["boss", "coder", "tester"], ...bus });
      await next.until("answered", { since: 0, fits: ({ text }) => text === "Done with job-4." });
      expect(pids()).toEqual(before);

      const talks = JSON.stringify((await h1.requests("coder")).at(-1)?.body?.messages);
      for (const job of [1, 2, 3, 4]) expect(copies(talks, `part of job-${job}`)).toBe(1);
      expect(heard()).toContain("part of job-1");
      expect(heard()).not.toContain("sk-ant");

      const { code } = await stage.run("down", "--state-dir", stage.stateDir);
      expect(code).toBe(0);
      await expect.poll(pids).toEqual([]);
      for (const host of [h1, h2]) {
        host.child.kill("SIGTERM");
        expect(await host.exited).toBe(0);
        expect(existsSync(`${host.stateDir}/join.sock`)).toBe(false);
      }
      await expect.poll(() => stage.processes().map(({ command }) => command)).toEqual([]);
    },
  );
});
