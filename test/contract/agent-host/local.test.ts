import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openLog } from "../../../src/session/log/open-log.ts";
import { LogIndex } from "../../../src/session/stored-sessions.ts";
import { parseTeam } from "../../../src/team/file/load-team.ts";
import type { AgentSpec, Team } from "../../../src/team/file/team.ts";
import { pathsOfAgent } from "../../../src/team/host/local/agent-paths.ts";
import { LocalLeftovers } from "../../../src/team/host/local/local-leftovers.ts";
import { LocalHost } from "../../../src/team/host/local/local-host.ts";
import { memoryDir, ownTempDir, tempDir } from "../../support/temp-dir.ts";
import type { HostStage } from "./suite.ts";
import { describeAgentHost } from "./suite.ts";

const program = fileURLToPath(new URL("../../support/echo-agent.ts", import.meta.url));

const file = `
name: t
lead: boss
agents:
  boss: { description: d, prompt: p }
  broken: { description: d, prompt: p, model: broken }
`;

const specOf = (team: Team, id: string): AgentSpec => {
  const spec = team.agents.get(id);
  if (!spec) throw new Error(`no ${id}`);
  return spec;
};

function localStage(): HostStage {
  const root = memoryDir();
  const [stateDir, work] = [join(root, "state"), join(root, "work")];
  for (const directory of [stateDir, work]) mkdirSync(directory, { mode: 0o700 });
  const read = (text: string): Team => parseTeam(text, "team.yaml", work);
  const team = read(file);
  const open = async (of: Team): Promise<LocalHost> => {
    const host = new LocalHost({
      team: of,
      stateDir,
      directory: work,
      environmentOf: () => ({}),
      program,
    });
    await host.open();
    return host;
  };
  return {
    spec: specOf(team, "boss"),
    broken: specOf(team, "broken"),
    newHost: () => open(team),
    withOtherPolicy: () => open(read(`${file}policy: [{ tool: Bash, action: deny }]\n`)),
    left: new LocalLeftovers(stateDir),
    leftovers: () => {
      const { socket, observe } = pathsOfAgent(stateDir, "boss");
      return [socket, observe].filter((path) => existsSync(path));
    },
    async writeLog(agent, drafts) {
      const index = new LogIndex(pathsOfAgent(stateDir, agent).state);
      const directory = index.create();
      const log = openLog(directory);
      for (const draft of drafts) log.append(draft);
      await log.close();
      const sessions = index.entries().length;
      index.assign(`session-${sessions}`, directory);
      // Later than those before, whatever the clock of the file system can tell apart.
      utimesSync(directory, sessions + 1, sessions + 1);
      return log.logId;
    },
  };
}

/** A running agent whose state directory has so long a path that its sockets lie in the temporary directory. */
async function longPathStage() {
  const root = tempDir();
  const temp = ownTempDir();
  const stateDir = join(root, "s".repeat(100));
  mkdirSync(stateDir, { mode: 0o700 });
  const team = parseTeam(file, "team.yaml", root);
  const host = new LocalHost({
    team,
    stateDir,
    directory: root,
    environmentOf: () => ({}),
    program,
  });
  await host.open();
  const agent = host.agent(specOf(team, "boss"), {});
  await agent.offerTools({ name: "team", schemas: [], serve: () => {}, stop: async () => {} });
  const run = await agent.start(undefined, AbortSignal.timeout(30_000));
  (await run.openSession(AbortSignal.timeout(30_000))).destroy();
  expect(readdirSync(temp)).toEqual([expect.stringMatching(/^switchboard-/)]);
  return { stateDir, host, agent, run, left: () => readdirSync(temp, { recursive: true }) };
}

test("close with `clear` removes the sockets of a long path from the temporary directory", async () => {
  const { host, agent, left } = await longPathStage();
  await agent.stop(0);
  await host.close({ clear: true });
  expect(left()).toEqual([]);
});

test("endRuns removes what a killed team has left in the temporary directory", async () => {
  const { stateDir, host, run, left } = await longPathStage();
  await host.close({ clear: false });
  expect(await new LocalLeftovers(stateDir).endRuns(new Map([["boss", run.mark]]))).toEqual([
    "boss",
  ]);
  expect(left()).toEqual([]);
});

describeAgentHost("this machine", localStage);
