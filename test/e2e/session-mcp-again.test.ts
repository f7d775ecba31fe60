import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { AgentSocket, Home } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { smallMcpServer } from "../support/small-mcp-server.ts";
import type { Line, SessionLineClient } from "../support/session-line-client.ts";

function smallServer({ root }: Home): { file: string; flags: string[] } {
  const config = join(root, "mcp.json");
  const small = smallMcpServer(root);
  const [file] = small.args;
  writeFileSync(config, JSON.stringify({ mcpServers: { small } }));
  return { file, flags: ["--mcp-config", config] };
}

const serversIn = (line: Line): Line[] => (line["servers"] ?? line["mcp_servers"]) as Line[];

const hears = (client: SessionLineClient, status: string): Promise<Line> =>
  client.until("mcp_status", { fits: (line) => serversIn(line)[0]?.["status"] === status });

test("an MCP server that broke between two hosts is not reported as connected by the second", async () => {
  const rehearsal = await startRehearsal({ script: { rules: [], default: { text: "I see." } } });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const { file, flags } = smallServer(home);
  const env = { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: home.root };
  const start = (...more: string[]): AgentSocket =>
    startAgentSocket(home, ["--cwd", home.cwd, ...flags, ...more], env);

  const first = start();
  const { session_id } = await first.ready;
  const one = await first.connect();
  one.send({ type: "attach", since: 0 }, { type: "message", id: "m1", text: "hello" });
  expect(serversIn(await hears(one, "connected"))).toEqual([
    { name: "small", status: "connected", tools: ["weigh"] },
  ]);
  const { seq: since } = await one.until("done");
  await first.end("SIGKILL");

  rmSync(file);
  const second = start("--resume", session_id);
  const two = await second.connect();
  const init = await two.until("init");
  expect(serversIn(init)[0]?.["status"]).not.toBe("connected");
  two.send({ type: "attach", since });
  expect(serversIn(await hears(two, "failed"))).toMatchObject([
    // What is missing is still known by name.
    { name: "small", status: "failed", tools: ["weigh"] },
  ]);
  const told = two.events.filter(({ type }) => type === "mcp_status").map(serversIn);
  expect(told.flat().map(({ status }) => status)).not.toContain("connected");
});
