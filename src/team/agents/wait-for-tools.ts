import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient } from "../../client/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { McpServer } from "../../wire/session/shared-schemas.ts";
import type { AgentSpec } from "../file/team.ts";
import { teamToolNames } from "../tools/team-tool-names.ts";

const TOOLS_POLL_MS = 100;
/** How long an agent's start waits for servers of its own that are on their way up. */
const SERVERS_MS = 10_000;

/** Resolves when the session has every tool of the team, and, unless they take long, those of the agent's own servers. */
export async function untilToolsReported(
  session: SessionClient,
  { toolFiles, mcpServers }: AgentSpec,
  signal: AbortSignal,
): Promise<void> {
  const own = [...toolFiles.map(({ server }) => server), ...Object.keys(mcpServers)];
  const patientUntilMs = performance.now() + SERVERS_MS;
  for (;;) {
    const { mcp_servers: servers = [] } = await session.status();
    const team = servers.find(({ name }) => name === "team");
    const isComing = own.some((server) => isOnItsWay(servers, server));
    const isWaitedFor = isComing && performance.now() < patientUntilMs;
    if (team?.status === "connected" && hasAll(team.tools) && !isWaitedFor) return;
    if (team?.status === "failed") {
      throw errorOf("bridge_startup", `The team's tools did not start: ${team.error ?? "unknown"}`);
    }
    await delay(TOOLS_POLL_MS, undefined, { signal });
  }
}

function isOnItsWay(servers: readonly McpServer[], name: string): boolean {
  const server = servers.find((each) => each.name === name);
  return server === undefined || server.status === "pending";
}

const hasAll = (tools: readonly string[] = []): boolean =>
  teamToolNames.every((name) => tools.some((tool) => tool === name || tool.endsWith(`__${name}`)));
