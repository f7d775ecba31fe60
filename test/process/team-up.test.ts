import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { placeOfAgent } from "../../src/team/agents/agent-place.ts";
import { TeamStage } from "../support/team-stage.ts";

const yaml = (workdir: string): string => `
name: refused
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, workdir: ${workdir} }
`;

const script = "rules: [{ text: hello }]";

/** It has to end by itself, however long it takes. */
const endOf = async (stage: TeamStage): Promise<{ code: unknown; errors: string }> => {
  const run = await stage.up({ ready: [] });
  const code = await Promise.race([run.exited, delay(60_000, "still running", { ref: false })]);
  return { code, errors: run.errors };
};

test("a start that is refused because of one of the agents says why, and ends", async () => {
  const stage = new TeamStage(yaml("not-there"), script);
  expect(await endOf(stage)).toEqual({
    code: 65,
    errors: expect.stringMatching(
      /"code":"team_invalid".*coder: its working directory .* is missing/,
    ),
  });
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
});

test("a start that fails when agents before it have their tools ends, and takes them back", async () => {
  const stage = new TeamStage(yaml("."), script);
  const { tools } = placeOfAgent(stage.stateDir, "coder");
  mkdirSync(dirname(tools), { recursive: true, mode: 0o700 });
  writeFileSync(tools, "in the way");
  const { code, errors } = await endOf(stage);
  expect(errors).toContain("EEXIST");
  expect(code).toBe(70);
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);
});
