import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseTeam } from "../../../src/team/file/load-team.ts";
import type { AgentSpec, Team } from "../../../src/team/file/team.ts";
import { pathsOfAgent } from "../../../src/team/host/local/agent-paths.ts";
import { LocalHost } from "../../../src/team/host/local/local-host.ts";
import { memoryDir } from "../../support/temp-dir.ts";
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
    leftovers: () => {
      const { socket, observe } = pathsOfAgent(stateDir, "boss");
      return [socket, observe].filter((path) => existsSync(path));
    },
  };
}

describeAgentHost("this machine", localStage);
