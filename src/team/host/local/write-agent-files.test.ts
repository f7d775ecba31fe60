import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { parseTeam } from "../../file/load-team.ts";
import { writeAgentFiles } from "./write-agent-files.ts";
import { pathsOfAgent } from "./agent-paths.ts";

test("writeAgentFiles makes Claude Code keep an agent's files for months, unless its settings say otherwise", () => {
  const yaml = "{ name: t, lead: a, agents: { a: { description: d, prompt: p } } }";
  const team = parseTeam(yaml, "t.yaml", "/work");
  const [spec] = team.agents.values();
  if (!spec) throw new Error("no agent");
  const paths = pathsOfAgent(tempDir(), "a");
  const written = () => {
    writeAgentFiles(team, spec, paths, "/work", { team: { command: "bridge", args: [] } });
    return JSON.parse(readFileSync(paths.settings, "utf8")) as Record<string, unknown>;
  };
  expect(written()["cleanupPeriodDays"]).toBeGreaterThan(3_650);
  writeFileSync(paths.settings, JSON.stringify({ cleanupPeriodDays: 7 }));
  expect(written()).toMatchObject({ cleanupPeriodDays: 7, agents: { a: { prompt: "p" } } });
});
