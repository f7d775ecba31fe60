import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProjectStage } from "../support/project-stage.ts";

// It starts real agents several times, which a busy machine is slow at.
const SLOW_MS = 300_000;

const team = `
name: slug-team
lead: boss
confirm_roles: false
agents:
  boss: { description: leads, prompt: You lead. }
`;

const script = `
rules:
  - when: { user: '/remember (\\w+)/' }
    text: I remember $1.
default: { text: Very well. }
`;

test(
  "teams of one name in two projects have their own state, run at once, and are found by directory and name",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const one = stage.project("one", team);
    const two = stage.project("two", team);

    const first = await one.up();
    expect(first.said.out).toContain(`slug-team starts with 1 agent in ${one.directory};`);
    expect((await one.run("send", "remember apples")).out).toBe("I remember apples.");

    // The other project has a state of its own, and says so.
    const second = await two.up();
    expect(second.said.err).toContain(
      `Another team named slug-team belongs to ${one.directory}. It keeps its own memory.`,
    );
    expect(second.said.out).toContain(`slug-team starts with 1 agent in ${two.directory};`);
    expect((await two.run("send", "remember pears")).out).toBe("I remember pears.");
    expect(await two.newestContext("boss")).not.toContain("apples");
    expect((await two.run("tasks", "--all")).out).not.toContain("apples");
    expect(JSON.parse((await two.run("status", "--json")).out)).toMatchObject({
      agents: [{ turns: 1 }],
    });

    // From elsewhere a name that two teams have is not guessed.
    const several = await stage.run(stage.root, ["status", "--team", "slug-team"]);
    expect(several.code).toBe(64);
    expect(several.err).toContain("There are several teams named slug-team:");
    for (const { directory } of [one, two]) expect(several.err).toContain(directory);
    const env = { SWITCHBOARD_TEAM: "slug-team" };
    const tasks = await stage.run(one.directory, ["tasks", "--all"], env);
    expect(tasks.out).toContain("apples");

    expect((await one.run("down")).code).toBe(0);
    expect(await first.exited).toBe(0);
    // Now there is one that runs.
    const named = await stage.run(stage.root, ["send", "hi", "--team", "slug-team"]);
    expect(named).toMatchObject({ code: 0, out: "Very well." });
    expect(await two.newestContext("boss")).toContain("pears");
    const stopped = await one.run("send", "hi");
    expect(stopped.code).toBe(69);
    expect(stopped.err).toContain(`The team slug-team of ${one.directory} is stopped.`);
    expect(stopped.err).toContain(`cd ${one.directory} && switchboard up`);

    // State of an older version is taken up by the project in which its agents worked.
    const { stateDir } = one.state;
    rmSync(join(stateDir, "project.json"));
    renameSync(stateDir, join(stage.teams, "slug-team"));
    const again = await one.up();
    expect(again.said.err).toContain("An older version kept the memory of slug-team");
    expect(again.said.out).toMatch(/slug-team goes on with 1 agent in .*one; last seen \d{4}-/);
    expect((await one.run("send", "well?")).out).toBe("Very well.");
    const context = await one.newestContext("boss");
    expect(context).toContain("apples");
    expect(context).not.toContain("pears");

    for (const project of [one, two]) expect((await project.run("down")).code).toBe(0);
    expect(await Promise.all([again.exited, second.exited])).toEqual([0, 0]);
    expect(stage.processes()).toEqual([]);
  },
);
