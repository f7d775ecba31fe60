import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectOptions, McpServerConfigs, SessionClient } from "../../client/index.ts";
import { connectSession } from "../../client/index.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionHosts } from "../hosts.ts";
import type { FaceSettings, HostWish } from "../start-flags.ts";
import { startFlags } from "../start-flags.ts";

export interface HostStart extends Omit<HostWish, "mcpConfig"> {
  readonly mcpServers: McpServerConfigs;
}

export interface OpenedHost {
  readonly client: SessionClient;
  readonly sessionId: string;
}

/** A host that is about to end holds its session for so long at most. */
const IN_USE_TRIES = 60;
const IN_USE_MS = 250;

/** When the host has died, this is known at once: its socket refuses. */
const policy = { tries: 4, firstDelayMs: 50, maxDelayMs: 500, factor: 2 };

const has = (servers: McpServerConfigs): boolean => Object.keys(servers).length > 0;

/**
 * Connects to the host that runs the session, or starts one.
 *
 * @throws the host's own error when it does not start; as `connectSession` does.
 */
export async function openHost(
  hosts: SessionHosts,
  settings: FaceSettings,
  request: HostStart,
  options: ConnectOptions,
): Promise<OpenedHost> {
  const { beginning } = request;
  const sessionId = beginning.type === "resume" ? beginning.sessionId : undefined;
  for (let attempt = 1; ; attempt += 1) {
    const running = sessionId === undefined ? undefined : await living(hosts, sessionId, options);
    if (running !== undefined && sessionId !== undefined) {
      // Those that others have set stay, if this editor brings none.
      if (has(request.mcpServers)) await running.setMcpServers(request.mcpServers);
      return { client: running, sessionId };
    }
    try {
      const started = await start(hosts, settings, request);
      const client = await connectSession(started.socket, { ...options, policy });
      return { client, sessionId: started.sessionId };
    } catch (error) {
      const isInUse = error instanceof ClaudeCodeError && error.code === "session_in_use";
      if (!isInUse || sessionId === undefined || attempt === IN_USE_TRIES) throw error;
      await delay(IN_USE_MS);
    }
  }
}

async function living(
  hosts: SessionHosts,
  sessionId: string,
  options: ConnectOptions,
): Promise<SessionClient | undefined> {
  const socket = await hosts.socketOf(sessionId);
  if (socket === undefined) return undefined;
  // It may have ended just now: then another one is started.
  return connectSession(socket, { ...options, policy }).catch(() => undefined);
}

/** The file has keys of the editor's servers. The host has read it when it is ready. */
async function start(hosts: SessionHosts, settings: FaceSettings, request: HostStart) {
  const { mcpServers, ...wish } = request;
  if (!has(mcpServers)) return hosts.start(startFlags(settings, wish));
  const directory = mkdtempSync(join(tmpdir(), "agent-socket-acp-"));
  try {
    chmodSync(directory, 0o700);
    const mcpConfig = join(directory, "mcp.json");
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers }), { mode: 0o600, flag: "wx" });
    return await hosts.start(startFlags(settings, { ...wish, mcpConfig }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
