import { describe, expect, onTestFinished, test } from "vitest";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import { JoinProcess } from "../support/tunnel/join-process.ts";
import { OfficeProcess } from "../support/tunnel/office-process.ts";

const team = `
name: moving
lead: boss
agents:
  boss: { description: leads, prompt: p, host: h1 }
  coder: { description: codes, prompt: p, host: h1 }
  clerk: { description: writes, prompt: p }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/(job-\\d)/' }
    tools:
      - { name: mcp__team__send_message, input: { to: coder, content: part of $1, wait: true } }
  - when: { agent: boss, tool_result: { text: '/result of (job-\\d)/' } }
    text: Done with $1.
  # An answer that came while no office was there for the call comes as a message of its own.
  - when: { agent: boss, tool_result: { text: '/has come as a message/' } }
    text: It has come.
  - when: { agent: boss, peer: '/result of (job-\\d)/' }
    text: Done with $1.
  - when: { agent: boss, user: '/(note-\\d)/' }
    tools:
      - { name: mcp__team__send_message, input: { to: clerk, content: file of $1, wait: true } }
  - when: { agent: boss, tool_result: { text: '/filed (note-\\d)/' } }
    text: Noted $1.
  - when: { agent: clerk, peer: '/file of (note-\\d)/' }
    text: filed $1
  - when: { agent: coder, peer: '/part of (job-\\d)/' }
    text: result of $1
    delay_ms: 3000
default: { text: UNEXPECTED }
`;

const copies = (words: string, part: string): number => words.split(part).length - 1;

describe.skipIf(!hasNats)("a team whose office moves", () => {
  test(
    "loses and doubles nothing when its office is killed, moved, frozen, and when the server is killed",
    { timeout: 300_000 },
    async () => {
      const nats = await startNats();
      onTestFinished(nats.close);
      const { url } = nats.server;
      const stage = new TeamStage(team, script);
      const standby = (name: string): OfficeProcess =>
        new OfficeProcess(stage, name, url, ["--standby"]);
      const a = new OfficeProcess(stage, "a", url);
      const h1 = new JoinProcess(stage, "h1", url, ["--team", "moving"]);
      for (const agent of ["boss", "coder", "clerk"]) await a.run.ready(agent);
      expect(await a.ask("job-1 please")).toBe("Done with job-1.");
      expect(await a.ask("note-1 please")).toBe("Noted note-1.");
      const onHost = (): number[] =>
        stage
          .processes()
          .filter(({ command }) => /agent-socket.*agents\/(boss|coder)/.test(command))
          .map(({ pid }) => pid)
          .toSorted((x, y) => x - y);
      const before = onHost();
      expect(before).toHaveLength(2);
      const asked = async (agent: string, words: string): Promise<void> => {
        const requests = async (): Promise<string> => JSON.stringify(await h1.requests(agent));
        await expect.poll(requests, { timeout: 20_000 }).toContain(words);
      };

      const promise = await a.run.until("notice", {
        fits: ({ message }) => message.includes("power loss"),
      });
      expect(promise.message).toContain("--bus-monitor URL");

      // A second office beside one that works is refused.
      const rash = new OfficeProcess(stage, "rash", url);
      expect(await rash.run.exited).toBe(73);
      expect(rash.run.errors).toContain("team_running");

      const b = standby("b");
      await expect.poll(() => b.run.errors).toContain("Stands by");
      const second = a.ask("job-2 please").catch(() => "cut off");
      await asked("coder", "part of job-2");
      a.child.kill("SIGKILL");
      expect(await second).toBe("cut off");
      await b.answered("Done with job-2.");
      // An agent without a host begins anew where the office is now.
      expect(await b.ask("note-2 please")).toBe("Noted note-2.");

      const c = standby("c");
      await expect.poll(() => c.run.errors).toContain("Stands by");
      const third = b.ask("job-3 please").catch(() => "cut off");
      await asked("coder", "part of job-3");
      const place = ["--bus", url, "--team", "moving", "--json"];
      const move = await stage.run("office", "move", "c", ...place);
      expect(move).toMatchObject({ code: 0, err: "" });
      const moved = JSON.parse(move.out) as { from: string; to: string; took_ms: number };
      expect(moved).toMatchObject({ from: "b", to: "c" });
      console.log(`The office moved in ${moved.took_ms} ms.`);
      expect(await b.run.exited).toBe(0);
      expect(b.run.errors).toContain("c runs the team from now on.");
      await third;
      await c.answered("Done with job-3.");

      const d = standby("d");
      await expect.poll(() => d.run.errors).toContain("Stands by");
      const fourth = c.ask("job-4 please").catch(() => "cut off");
      await asked("coder", "part of job-4");
      c.child.kill("SIGSTOP");
      await d.answered("Done with job-4.");
      c.child.kill("SIGCONT");
      expect(await c.run.exited).toBe(73);
      expect(c.run.errors).toContain("superseded");
      await fourth;

      const fifth = d.ask("job-5 please");
      await asked("coder", "part of job-5");
      await nats.server.kill();
      await nats.server.start();
      expect(await fifth).toBe("Done with job-5.");
      expect(await d.ask("note-3 please")).toBe("Noted note-3.");
      expect(onHost()).toEqual(before);

      const talks = JSON.stringify((await h1.requests("coder")).at(-1)?.body?.messages);
      for (const job of [1, 2, 3, 4, 5]) expect(copies(talks, `part of job-${job}`)).toBe(1);
      const lead = JSON.stringify((await h1.requests("boss")).at(-1)?.body?.messages);
      for (const job of [1, 2, 3, 4, 5]) expect(copies(lead, `result of job-${job}`)).toBe(1);

      const bus = ["--bus", url, "--team", "moving"];
      const status = await stage.run("bus", "status", ...bus, "--state-dir", d.stateDir);
      expect(status.out).toMatch(
        /Office {4}d, epoch 4; stands by: nobody|Office {4}d, epoch 4; nobody/,
      );
      expect(status.out).toContain("SB_moving_LOG");

      const e = standby("e");
      await expect.poll(() => e.run.errors).toContain("Stands by");
      const { code } = await stage.run("down", "--state-dir", d.stateDir);
      expect(code).toBe(0);
      expect(await e.run.exited).toBe(0);
      await expect.poll(onHost).toEqual([]);
      h1.child.kill("SIGTERM");
      expect(await h1.exited).toBe(0);
      // The clerks of offices that were killed wait for their linger time.
      const left = (): string[] =>
        stage.processes().flatMap(({ command }) => (command.includes("clerk") ? [] : [command]));
      await expect.poll(left).toEqual([]);

      // Its memory goes back to one machine, and is refused on NATS from then on.
      const alone = ["--state-dir", d.stateDir];
      const migrated = await stage.run("bus", "migrate", "--to", "sqlite", "--bus", url, ...alone);
      expect(migrated).toMatchObject({ code: 0, err: "" });
      const model = ["--rehearsal", stage.scriptFile, "--no-web"];
      const onNats = await stage.run("up", stage.teamFile, ...model, ...alone, "--bus", url);
      expect(onNats.code).toBe(65);
      expect(onNats.err).toContain("switchboard bus migrate --to nats");
    },
  );
});
