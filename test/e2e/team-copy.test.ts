import { cpSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TeamRun, TeamStage } from "../support/team-stage.ts";

// It starts real agents, which a busy machine is slow at.
const SLOW_MS = 300_000;

const team = `
name: copied
lead: boss
confirm_roles: false
agents:
  boss: { description: leads, prompt: You lead. }
`;

const isNoSocket = (path: string): boolean => !lstatSync(path).isSocket();

test(
  "a copy of a running team's state starts no second team, and ends nothing of the original's",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(team, "default: { text: Very well. }");
    const run = await stage.up({ ready: ["boss"] });
    const pidsOfOriginal = async (): Promise<(number | undefined)[]> => {
      await using client = await run.connect();
      const { agents } = await client.request("status", {});
      return agents.map(({ pid }) => pid);
    };
    const pids = await pidsOfOriginal();
    const copy = join(stage.root, "copy");
    cpSync(stage.stateDir, copy, { recursive: true, filter: isNoSocket });
    const up = [
      "up",
      "--no-web",
      stage.teamFile,
      "--json",
      "--rehearsal",
      stage.scriptFile,
      "--state-dir",
      copy,
    ];
    const refused = await stage.run(...up);
    expect(refused.code).toBe(73);
    expect(refused.err).toContain(`is a copy of ${stage.stateDir}, whose team is running.`);

    // State of an older version does not say what it is a copy of.
    rmSync(join(copy, "project.json"));
    const second = new TeamRun(stage, stage.spawn(up));
    // Its agent cannot have the session that the original's agent holds.
    await second.until("agent_state", { fits: ({ state }) => state === "restarting" });
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(await pidsOfOriginal()).toEqual(pids);
    expect(run.told.filter((event) => event.type === "agent_state").at(-1)?.state).toBe("ready");
    // The rehearsal is still the original's too.
    expect(await run.ask("still there?")).toBe("Very well.");
  },
);
