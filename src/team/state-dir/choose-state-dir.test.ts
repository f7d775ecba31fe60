import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { parseTeam } from "../file/load-team.ts";
import type { Team } from "../file/team.ts";
import { claimState } from "./refuse-state-of-other-project.ts";
import { knownTeams } from "./known-teams.ts";
import { writeProjectNote } from "./project-of-state-dir.ts";
import { stateFor } from "./choose-state-dir.ts";

const yaml = "name: my-team\nlead: boss\nagents:\n  boss: { description: leads, prompt: p }\n";

class Machine {
  readonly root = tempDir();
  readonly teams = join(this.root, "teams");

  project(name: string): { directory: string; file: string; team: Team } {
    const directory = join(this.root, name);
    mkdirSync(directory, { recursive: true });
    const team = parseTeam(yaml, "team.yaml", directory);
    return { directory, file: join(directory, "team.yaml"), team };
  }

  stateOf(name: string) {
    const { team, directory } = this.project(name);
    return stateFor(this.teams, team, directory);
  }

  /** As a start of the team leaves it. */
  start(name: string): string {
    const { stateDir } = this.stateOf(name);
    mkdirSync(stateDir, { recursive: true });
    writeProjectNote(stateDir, "my-team", this.project(name));
    return stateDir;
  }

  /** As a version without project notes left it. */
  startOlder(name: string): string {
    const stateDir = join(this.teams, "my-team");
    mkdirSync(join(stateDir, "agents/boss"), { recursive: true });
    writeFileSync(join(stateDir, "bus.db"), "");
    const persona = `# Your role: boss\n\np\n\nYou work in the directory ${join(this.root, name)}.\n\n`;
    writeFileSync(join(stateDir, "agents/boss/persona.md"), persona);
    return stateDir;
  }

  claim(stateDir: string, name: string, adopt = false) {
    const { team, ...project } = this.project(name);
    return claimState(stateDir, team, project, adopt);
  }
}

test("teams of one name in two projects have state of their own, and find it again", () => {
  const machine = new Machine();
  const one = machine.start("one");
  expect(machine.stateOf("two")).toMatchObject({
    memory: { kind: "new", namesakes: [{ stateDir: one }] },
  });
  const two = machine.start("two");
  expect(two).not.toBe(one);
  expect(machine.stateOf("one")).toEqual({ stateDir: one, memory: { kind: "own" } });
  expect(machine.stateOf("two")).toEqual({ stateDir: two, memory: { kind: "own" } });
});

test("a project that was renamed keeps its team; a new directory of the old name has another one", () => {
  const machine = new Machine();
  const before = machine.start("old");
  const from = join(machine.root, "old");
  renameSync(from, join(machine.root, "new"));
  expect(machine.stateOf("new")).toEqual({ stateDir: before, memory: { kind: "moved", from } });
  machine.start("new");
  expect(machine.stateOf("old").stateDir).not.toBe(before);
});

test("a new directory in the place of a moved project never gets its state, whichever starts first", async () => {
  const machine = new Machine();
  const before = machine.start("app");
  const from = join(machine.root, "app");
  renameSync(from, join(machine.root, "app-old"));
  expect(machine.stateOf("app")).toMatchObject({
    memory: { kind: "new", namesakes: [{ stateDir: before, directories: [] }] },
  });
  const after = machine.start("app");
  expect(after).not.toBe(before);
  expect(after.length).toBe(before.length);
  await expect(machine.claim(before, "app")).rejects.toMatchObject({ code: "other_project" });
  expect(await machine.claim(before, "app", true)).toEqual({ lastDirectory: from });
  expect(machine.stateOf("app-old")).toEqual({ stateDir: before, memory: { kind: "moved", from } });
  expect(await machine.claim(before, "app-old")).toEqual({ lastDirectory: from });
  machine.start("app-old");
  expect(machine.stateOf("app")).toEqual({ stateDir: after, memory: { kind: "own" } });
});

test("two directories that swap their names keep their states", () => {
  const machine = new Machine();
  const [one, two] = [machine.start("one"), machine.start("two")];
  const at = (name: string): string => join(machine.root, name);
  renameSync(at("one"), at("three"));
  renameSync(at("two"), at("one"));
  renameSync(at("three"), at("two"));
  expect(machine.stateOf("one").stateDir).toBe(two);
  expect(machine.stateOf("two").stateDir).toBe(one);
});

test("knownTeams finds a moved project from a directory inside it", () => {
  const machine = new Machine();
  const stateDir = machine.start("old");
  renameSync(join(machine.root, "old"), join(machine.root, "new"));
  const moved = join(machine.root, "new");
  mkdirSync(join(moved, "deep"));
  expect(knownTeams(machine.teams, join(moved, "deep"))).toMatchObject([
    { stateDir, directories: [moved] },
  ]);
});

test("a project elsewhere does not take over the state of a removed project", () => {
  const machine = new Machine();
  machine.start("gone");
  rmSync(join(machine.root, "gone"), { recursive: true });
  expect(machine.stateOf("other").memory.kind).toBe("new");
});

test("stateFor gives the state of an older version to the project in which its agents worked", () => {
  const machine = new Machine();
  const stateDir = machine.startOlder("one");
  expect(machine.stateOf("two")).toMatchObject({
    memory: { kind: "new", namesakes: [{ stateDir, directories: [join(machine.root, "one")] }] },
  });
  expect(machine.stateOf("one")).toEqual({ stateDir, memory: { kind: "older" } });
  machine.start("one");
  expect(machine.stateOf("one")).toEqual({ stateDir, memory: { kind: "own" } });
});

test("a state directory of another project that is still there is refused, unless it is adopted", async () => {
  const machine = new Machine();
  const stateDir = machine.start("one");
  const lastDirectory = join(machine.root, "one");
  const refusal = { code: "other_project", message: expect.stringContaining(lastDirectory) };
  await expect(machine.claim(stateDir, "two")).rejects.toMatchObject(refusal);
  expect(await machine.claim(stateDir, "one")).toEqual({ lastDirectory });
  expect(await machine.claim(stateDir, "two", true)).toEqual({ lastDirectory });
  const older = machine.startOlder("one");
  await expect(machine.claim(older, "two")).rejects.toMatchObject(refusal);
  expect(await machine.claim(older, "one")).toEqual({});
});

test("a copied state directory is distinguished from its original and from a moved one", async () => {
  const machine = new Machine();
  const original = machine.start("one");
  const lastDirectory = join(machine.root, "one");
  const copy = join(machine.root, "copy");
  cpSync(original, copy, { recursive: true });
  expect(await machine.claim(copy, "one")).toEqual({ lastDirectory, copyOf: original });
  rmSync(original, { recursive: true });
  expect(await machine.claim(copy, "one")).toEqual({ lastDirectory });
});
