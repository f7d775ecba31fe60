import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chooseTeam } from "./choose-team.ts";
import { isWithin } from "./is-within.ts";
import type { ProbedTeam } from "./known-teams.ts";

const teamOf = (name: string, directory: string, isRunning = false): ProbedTeam => ({
  name,
  stateDir: `/state/${name}${directory.replaceAll("/", "-")}`,
  directories: [directory],
  note: undefined,
  isRunning,
});

const cases: { title: string; teams: ProbedTeam[]; name?: string; cwd: string; found: unknown }[] =
  [
    {
      title: "a stopped team of the directory goes before one that runs elsewhere",
      teams: [teamOf("a", "/a"), teamOf("b", "/b", true)],
      cwd: "/a/src",
      found: "/a",
    },
    {
      title: "the nearest directory above decides",
      teams: [teamOf("a", "/a", true), teamOf("b", "/a/b")],
      cwd: "/a/b/c",
      found: "/a/b",
    },
    {
      title: "a directory whose name only begins alike is another one",
      teams: [teamOf("a", "/a")],
      cwd: "/ab",
      found: "none",
    },
    {
      title: "outside of all projects the team that runs is meant",
      teams: [teamOf("a", "/a"), teamOf("b", "/b", true)],
      cwd: "/tmp",
      found: "/b",
    },
    {
      title: "outside of all projects a stopped team is not meant",
      teams: [teamOf("a", "/a")],
      cwd: "/tmp",
      found: "none",
    },
    {
      title: "a name finds a stopped team from anywhere",
      teams: [teamOf("a", "/a"), teamOf("b", "/b", true)],
      name: "a",
      cwd: "/tmp",
      found: "/a",
    },
    {
      title: "a name that two projects use means the one that the person is in",
      teams: [teamOf("a", "/1", true), teamOf("a", "/2")],
      name: "a",
      cwd: "/2",
      found: "/2",
    },
    {
      title: "a name that two projects use is not guessed from elsewhere",
      teams: [teamOf("a", "/1"), teamOf("a", "/2")],
      name: "a",
      cwd: "/tmp",
      found: ["/1", "/2"],
    },
    {
      title: "of two teams in one directory the one that runs is meant",
      teams: [teamOf("a", "/1"), teamOf("b", "/1", true)],
      cwd: "/1",
      found: "/1",
    },
  ];

test.each(cases)("$title", ({ teams, name, cwd, found }) => {
  const choice = chooseTeam(teams, { name, cwd });
  const told =
    choice.kind === "one"
      ? choice.team.directories[0]
      : choice.kind === "several"
        ? choice.teams.map(({ directories }) => directories[0])
        : "none";
  expect(told).toEqual(found);
});

test("chooseTeam returns the named team, and prefers a team of this directory to another project's", () => {
  const path = fc
    .array(fc.constantFrom("a", "b"), { maxLength: 3 })
    .map((parts) => `/${parts.join("/")}`);
  const team = fc
    .tuple(fc.constantFrom("x", "y"), path, fc.boolean())
    .map((parts) => teamOf(...parts));
  const name = fc.option(fc.constantFrom("x", "y"), { nil: undefined });
  fc.assert(
    fc.property(fc.array(team), name, path, (teams, wanted, cwd) => {
      const choice = chooseTeam(teams, { name: wanted, cwd });
      if (choice.kind !== "one") return;
      const fits = teams.filter((each) => wanted === undefined || each.name === wanted);
      const isHere = ({ directories }: ProbedTeam) =>
        directories.some((each) => isWithin(cwd, each));
      expect(fits).toContain(choice.team);
      expect(isHere(choice.team)).toBe(fits.some(isHere));
    }),
  );
});
