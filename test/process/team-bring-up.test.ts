import { spawn } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import type { SessionClient } from "../../src/client/index.ts";
import { processId } from "../../src/proc/process-identity.ts";
import { connectAgentSession } from "../../src/team/agents/connect-agent-session.ts";
import { parseTeam } from "../../src/team/file/load-team.ts";
import type { AgentRun } from "../../src/team/host/agent-host.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { LocalHost } from "../../src/team/host/local/local-host.ts";
import { FakeSession } from "../support/fake-session.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { memoryDir } from "../support/temp-dir.ts";

/** An agent that runs already: a session in this process, and a process of its own that does nothing. */
async function runningAgent() {
  const directory = memoryDir();
  const stateDir = join(directory, "state");
  const paths = pathsOfAgent(stateDir, "boss");
  mkdirSync(dirname(paths.socket), { recursive: true });
  const session = await new FakeSession(paths.socket).start();
  // Its command line names the agent's directory, as that of a real one does.
  const args = ["-e", "setTimeout(() => {}, 600_000)", "--", "--state-dir", paths.state];
  const sleeper = spawn(process.execPath, args, { stdio: "ignore" });
  onTestFinished(() => void sleeper.kill("SIGKILL"));
  const file = "name: t\nlead: boss\nagents: { boss: { description: d, prompt: p } }";
  const team = parseTeam(file, "team.yaml", directory);
  const host = new LocalHost({ team, stateDir, directory, environmentOf: () => ({}) });
  const [spec] = team.agents.values();
  if (!spec) throw new Error("no agent");
  const agent = host.agent(spec, { process: processId(sleeper.pid ?? 0) });
  const end = new AbortController();
  const start = (): Promise<AgentRun> => agent.start(undefined, end.signal);
  const connect = async (run: AgentRun): Promise<SessionClient> => {
    const client = await connectAgentSession(run, {}, end.signal);
    onTestFinished(() => client.close());
    return client;
  };
  return { session, sleeper, agent, end, start, connect };
}

/** Nothing else happens in this process meanwhile. */
function hold(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test("LocalAgent.start attaches to a living agent, though the team's process was held up meanwhile", async () => {
  const { sleeper, agent, start, connect } = await runningAgent();
  const starting = start();
  hold(1200);
  await connect(await starting);
  expect(agent.facts.pid).toBe(sleeper.pid);
  expect([sleeper.exitCode, sleeper.signalCode]).toEqual([null, null]);
});

test("connectAgentSession dials an agent's session for as long as its start may take", async () => {
  const { session, start, connect } = await runningAgent();
  const run = await start();
  const { setTimeout: wait } = globalThis;
  let waits = 0;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((act: () => void, ms = 0) => {
    waits += 1;
    return wait(act, ms / 100);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  // It was there when it was looked for, and is not when it is dialled.
  const { path } = session;
  renameSync(path, `${path}.away`);
  const client = connect(run);
  await Promise.race([client, vi.waitUntil(() => waits > 1500, { timeout: 30_000 })]);
  renameSync(`${path}.away`, path);
  expect((await client).init.log_id).toBe("log-1");
});

test("connectAgentSession rejects at once when it is aborted while the session does not answer", async () => {
  const { session, end, start, connect } = await runningAgent();
  session.held = new Promise(() => {});
  const client = connect(await start());
  await session.until("attach");
  end.abort(new Error("too late"));
  await expect(client).rejects.toThrow("too late");
});

test("an agent whose process ends while it is asked to hibernate gets no message before it is ready again", async () => {
  const root = memoryDir();
  const stateDir = join(root, "state");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // Its command line names the place of the agent, as that of a real one does.
  const { state } = pathsOfAgent(stateDir, "boss");
  const args = ["-e", "setTimeout(() => {}, 600_000)", "--", "--state-dir", state];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const bus = await openSqliteBus(join(stateDir, "bus.db"));
  const value = { process: processId(child.pid ?? 0) };
  await bus.records.write([{ kind: "put", collection: "agents", key: "boss", value }]);
  await bus.close();
  const file =
    "timeouts: { idle: 0.3 }\nlead: boss\nagents: { boss: { description: d, prompt: p } }";
  const team = await FakeTeam.up(file, {}, { root, stateDir });
  const { session } = team.agent("boss");
  const asked = (): number => session.told.filter(({ type }) => type === "status").length;
  // It hangs: asked how it is, it says nothing any more.
  team.agent("boss").isSilent = true;
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before);
  const since = team.told.length;
  const until = asked();
  child.kill("SIGKILL");
  // Its next life is at its tools.
  await expect.poll(asked).toBeGreaterThan(until);
  expect(team.running.agents.get("boss")?.session).toBeUndefined();
  const states = team.told
    .slice(since)
    .flatMap((event) =>
      event.type === "agent_state" && event.agent === "boss" ? [event.state] : [],
    );
  expect(states).toEqual(["restarting", "starting"]);
});
