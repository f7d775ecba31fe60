import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, onTestFinished, vi } from "vitest";
import { openLog } from "../../../src/session/log/open-log.ts";
import { LogIndex } from "../../../src/session/stored-sessions.ts";
import { parseTeam } from "../../../src/team/file/load-team.ts";
import type { AgentSpec, Team } from "../../../src/team/file/team.ts";
import { pathsOfAgent } from "../../../src/team/host/local/agent-paths.ts";
import { Assignments } from "../../../src/team/host/remote/assignments.ts";
import { Hosts } from "../../../src/team/host/remote/hosts.ts";
import { Moves } from "../../../src/team/host/remote/moves.ts";
import { RemoteHost } from "../../../src/team/host/remote/remote-host.ts";
import { ServedHost } from "../../../src/team/host/serve/served-host.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { connectNats } from "../../../src/tunnel/nats/connect-nats.ts";
import type { Nats } from "../../support/nats/start-nats.ts";
import { hasNats, startNats } from "../../support/nats/start-nats.ts";
import { memoryDir } from "../../support/temp-dir.ts";
import type { HostStage } from "./suite.ts";
import { describeAgentHost } from "./suite.ts";

const program = fileURLToPath(new URL("../../support/echo-agent.ts", import.meta.url));

const file = `
name: t
lead: boss
agents:
  boss: { description: d, prompt: p, host: h1 }
  broken: { description: d, prompt: p, model: broken, host: h1 }
`;

const specOf = (team: Team, id: string): AgentSpec => {
  const spec = team.agents.get(id);
  if (!spec) throw new Error(`no ${id}`);
  return spec;
};

describe.skipIf(!hasNats)("through a real nats-server", () => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  function remoteStage(): HostStage {
    const root = memoryDir();
    const [stateDir, work] = [join(root, "state"), join(root, "work")];
    for (const directory of [stateDir, work]) mkdirSync(directory, { mode: 0o700 });
    const read = (text: string): Team => parseTeam(text, "team.yaml", root);
    const team = read(file);
    const name = `t${randomBytes(4).toString("hex")}`;
    const stateDirOf = (agent: string): string => join(stateDir, agent);

    async function connectBoth() {
      const [there, here] = await Promise.all([
        connectNats({ url: nats.server.url, name: "h1" }),
        connectNats({ url: nats.server.url, name: "team" }),
      ]);
      const served = new ServedHost({
        carrier: there.hostEnd(name, "h1"),
        clock: systemClock,
        stateDir,
        directory: work,
        labels: {},
        environmentOf: () => ({}),
        rehearsed: true,
        program,
        onNotice: () => {},
      });
      const assignments = new Assignments();
      const hosts = new Hosts({ carriers: here.teamEnd(name), clock: systemClock, assignments });
      onTestFinished(async () => {
        hosts.close();
        await served.close();
        await Promise.all([there.close(), here.close()]);
      });
      for (const id of team.agents.keys()) await assignments.assign(id, "h1");
      await vi.waitUntil(() => hosts.reachable("h1"), { timeout: 20_000 });
      return { hosts, assignments, moves: new Moves() };
    }
    const joined = connectBoth();
    const open = async (of: Team): Promise<RemoteHost> =>
      new RemoteHost({ team: of, ...(await joined), rehearsed: true });
    return {
      spec: specOf(team, "boss"),
      broken: specOf(team, "broken"),
      newHost: () => open(team),
      withOtherPolicy: () => open(read(`${file}policy: [{ tool: Bash, action: deny }]\n`)),
      left: {
        describe: () => ({ description: "" }),
        openLog: async (id) => (await open(team)).openLog(id),
        endRuns: async (marks) => (await open(team)).endRuns(marks),
        remove: async () => {},
      },
      leftovers: () => {
        const { socket, observe } = pathsOfAgent(stateDirOf("boss"), "boss");
        return [socket, observe].filter((path) => existsSync(path));
      },
      async writeLog(agent, drafts) {
        mkdirSync(stateDirOf(agent), { recursive: true });
        const index = new LogIndex(pathsOfAgent(stateDirOf(agent), agent).state);
        const directory = index.create();
        const log = openLog(directory);
        for (const draft of drafts) log.append(draft);
        await log.close();
        const sessions = index.entries().length;
        index.assign(`session-${sessions}`, directory);
        utimesSync(directory, sessions + 1, sessions + 1);
        return log.logId;
      },
    };
  }

  describeAgentHost("a machine that has joined", remoteStage);
});
