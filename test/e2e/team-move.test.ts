import { describe, expect, onTestFinished, test } from "vitest";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import { JoinProcess } from "../support/tunnel/join-process.ts";

const team = `
name: away
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, host: h1 }
  tester: { description: tests, prompt: p }
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
  - when: { agent: coder, peer: '/(job-\\d) is good/' }
    text: result of $1
  - when: { agent: coder, user: '/session was interrupted/' }
    text: I go on.
  - when: { agent: tester, peer: '/test of (job-\\d)/' }
    text: $1 is good
    delay_ms: 3000
default: { text: UNEXPECTED }
`;

const copies = (words: string, part: string): number => words.split(part).length - 1;

describe.skipIf(!hasNats)("switchboard move", () => {
  test(
    "takes the conversation along to another host, and begins a new one with the open tasks when it cannot be had [TEAM-35]",
    { timeout: 240_000 },
    async () => {
      const nats = await startNats();
      onTestFinished(nats.close);
      const { url } = nats.server;
      const stage = new TeamStage(team, script);
      const run = await stage.up({ ready: ["boss", "tester"], args: ["--bus", url] });
      const h1 = new JoinProcess(stage, "h1", url, ["--team", "away"]);
      const h2 = new JoinProcess(stage, "h2", url, ["--team", "away"]);
      const place = ["--state-dir", stage.stateDir];
      const move = (...args: string[]) => stage.run("move", ...args, ...place);
      const readyOn = (host: string, since: number) =>
        run.until("agent_state", {
          since,
          fits: (event) =>
            event.agent === "coder" && event.host === host && event.state === "ready",
        });
      const agentsAt = ({ stateDir }: JoinProcess): number =>
        stage
          .processes()
          .filter(
            ({ command }) => command.includes(`agent-socket.js`) && command.includes(stateDir),
          ).length;
      await readyOn("h1", 0);
      await expect.poll(() => h2.out + h2.errors).toContain("The team is there");
      expect(await run.ask("job-1 please")).toBe("Done with job-1.");

      for (const [args, code, words] of [
        [["nobody", "h2"], 68, "no agent nobody"],
        [["coder", "h9"], 69, "The host h9 cannot be reached"],
        [["coder", "h 9"], 64, "cannot be the name of a host"],
        [["coder", "h1"], 65, "coder is on h1 already"],
        [["boss", "h2"], 77, "boss runs on the machine of the team"],
      ] as const) {
        const refused = await move(...args);
        expect(refused.err).toContain(words);
        expect(refused.code).toBe(code);
      }

      // In the middle of a turn: the agent waits for an answer.
      const second = run.ask("job-2 please");
      await expect
        .poll(async () => JSON.stringify(await stage.requests("tester")))
        .toContain("job-2");
      let since = run.told.length;
      const { out } = await move("coder", "h2");
      expect(out).toContain("coder moves from h1 to h2.");
      await readyOn("h2", since);
      expect(await second).toBe("Done with job-2.");
      expect(agentsAt(h1)).toBe(0);
      expect(await run.ask("job-3 please")).toBe("Done with job-3.");
      const talks = JSON.stringify((await h2.requests("coder")).at(-1)?.body?.messages);
      for (const job of [1, 2, 3]) expect(copies(talks, `part of job-${job}`)).toBe(1);
      const commands = run.told.filter((event) => event.type === "agent_command");
      expect(commands).toMatchObject([{ agent: "coder", command: "move", host: "h2" }]);

      // The host dies while the agent works.
      const fourth = run.ask("job-4 please");
      await expect
        .poll(async () => JSON.stringify(await stage.requests("tester")))
        .toContain("job-4");
      await h2.losePower(stage);
      await run.until("notice", { since, fits: ({ message }) => message.includes("h2 is lost") });
      since = run.told.length;
      expect((await move("coder", "h1")).code).toBe(0);
      await run.until("agent_state", {
        since,
        fits: ({ reason = "" }) => reason.includes("has certainly stopped it"),
      });
      expect((await move("coder", "h1", "--force", "--json")).code).toBe(0);
      await readyOn("h1", since);
      const told = await run.until("notice", {
        since,
        fits: ({ message }) => message.includes("begun a new conversation"),
      });
      expect(told.message).toContain("h2, which cannot be reached");
      expect(await fourth).toBe("Done with job-4.");
      const anew = JSON.stringify((await h1.requests("coder")).at(-1)?.body?.messages);
      expect(anew).toContain("You work on another machine from now on");
      expect(copies(anew, "part of job-1")).toBe(0);
      expect(await run.ask("job-5 please")).toBe("Done with job-5.");
      expect((await stage.run("down", ...place)).code).toBe(0);
    },
  );
});
