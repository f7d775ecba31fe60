import { join } from "node:path";
import type { Logger } from "../../log/logger.ts";
import { sweepOrphans } from "../../proc/sweep.ts";
import type { Ended, SessionOptions } from "../core/session.ts";
import { startSession } from "../core/session.ts";
import { bridgeTools } from "../place/bridge-tools.ts";
import type { ClaudeConfig } from "../place/claude-config.ts";
import { claudeConfig } from "../place/claude-config.ts";
import { LogPlaces } from "../place/log-places.ts";
import { writeMcpConfig } from "../place/mcp-config.ts";
import { modeFromSettings } from "../place/permission-mode.ts";
import { stateDirectory } from "../place/state-directory.ts";
import { isTrusted } from "../place/trust.ts";
import { serveSession } from "../serve/server.ts";
import { chooseSession } from "./choose-session.ts";
import type { HostFlags } from "./flags.ts";
import { HeldSession } from "./held-session.ts";
import { logUnread } from "./log-unread.ts";
import { modelEnvironment } from "./model-environment.ts";
import { openSessionLog } from "./open-session-log.ts";
import type { ReadFlags } from "./read-flags.ts";
import { readFlags } from "./read-flags.ts";

export interface HostSetting {
  /** Of this package. */
  readonly version: string;
  readonly logger: Logger;
}

/** Told once, when clients may connect. */
export interface Ready {
  type: "ready";
  socket: string;
  observe_socket?: string;
  session_id: string;
  log_id: string;
  pid: number;
}

/** One session with its socket, its log and its lock. */
export interface Host {
  readonly ready: Ready;
  /** Everything has ended and is cleaned up. Never rejects. */
  readonly ended: Promise<Ended>;
  /** Ends the turn in bounded time, tells the clients, removes the socket. */
  end(reason: "signal"): void;
}

/**
 * Starts a session as its flags say. What goes wrong before it is ready is thrown, in the terms of the
 * error table, and leaves nothing behind.
 */
export async function startHost(flags: HostFlags, setting: HostSetting): Promise<Host> {
  const { logger, version } = setting;
  const read = readFlags(flags);
  const root = stateDirectory(flags.stateDir);
  await using cleanup = new AsyncDisposableStack();

  const env = await modelEnvironment(flags, cleanup);
  const config = claudeConfig({ ...process.env, ...env });
  const places = new LogPlaces(root);
  const choice = await chooseSession({ ...flags, cwd: read.cwd }, config.directory, places);
  const held = await HeldSession.take(choice.sessionId, read.cwd, places, logger);
  cleanup.defer(() => held.release());
  const { log, directory } = await openSessionLog(places, choice.sessionId, {
    logger,
    ...(flags.logSegmentBytes !== undefined && { maxSegmentBytes: flags.logSegmentBytes }),
  });
  // The session closes it; until there is one, we do.
  const unopened = cleanup.adopt(log, (each) => each.close().catch(() => {}));

  // A host that was killed together with its watchdog leaves processes behind: a CLI, which may write on, or
  // what an idle one had running in the background. A new log had no host before.
  if (log.epoch > 1) await sweepOrphans();

  const session = await startSession({
    ...choice,
    ...cliOptions(flags, read, config),
    ...(Object.keys(read.mcpServers).length > 0 && {
      mcpConfigFile: writeMcpConfig(join(directory, "mcp.json"), read.mcpServers),
    }),
    env,
    log: unopened,
    onDebug: (event) => logUnread(event, logger),
  });
  cleanup.defer(() => session.close("signal"));
  const server = await serveSession(session, {
    about: { version, rehearsal: flags.rehearsal !== undefined },
    socketPath: flags.socket,
    socketName: `agent-socket-${choice.sessionId.slice(0, 8)}.sock`,
    observePath: flags.observeSocket,
    lingerMs: flags.lingerMs,
    onEnd: (reason) => void session.close(reason),
    logger,
  });
  cleanup.defer(() => server.close());
  held.follow(log, directory, {
    socket: server.path,
    ...(server.observePath !== undefined && { observe_socket: server.observePath }),
  });

  const rest = cleanup.move();
  const ended = session.closed.then(async (how) => {
    await rest
      .disposeAsync()
      .catch((err: unknown) => logger.error({ err }, "the end was not clean"));
    return how;
  });
  return {
    ready: {
      type: "ready",
      socket: server.path,
      ...(server.observePath !== undefined && { observe_socket: server.observePath }),
      session_id: log.state.sessionId ?? choice.sessionId,
      log_id: log.logId,
      pid: process.pid,
    },
    ended,
    end: (reason) => void session.close(reason),
  };
}

type CliOptions = Omit<SessionOptions, "log" | "sessionId" | "origin" | "env">;

function cliOptions(flags: HostFlags, read: ReadFlags, config: ClaudeConfig): CliOptions {
  const { cwd, settings, settingsContent, appendSystemPrompt } = read;
  const trusted = flags.trust === true || isTrusted(cwd, config);
  const { model, permissionMode, maxTurns, maxBudgetUsd, claudePath } = flags;
  return {
    cwd,
    settingSources: trusted ? ["user", "project", "local"] : ["user"],
    defaultMode: modeFromSettings({ cwd, config, trusted, settings: settingsContent }),
    approvalTimeoutMs: flags.approvalTimeoutMs,
    toolsOf: (server) => bridgeTools(read.mcpServers[server]),
    notices: [
      ...(trusted ? [] : [untrusted(cwd)]),
      ...(flags.rehearsal === undefined ? [] : [rehearsed(flags.rehearsal)]),
    ],
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(flags.allowedTools && { allowedTools: [...flags.allowedTools] }),
    ...(flags.disallowedTools && { disallowedTools: [...flags.disallowedTools] }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(claudePath !== undefined && { claudePath }),
    ...(settings !== undefined && { settings }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
}

const untrusted = (cwd: string) => ({
  code: "untrusted_project" as const,
  message: `${cwd} is not trusted, so its own settings, hooks, instructions and MCP servers are left out.`,
  hint: "If you trust it, start with --trust, or run 'claude' there once and accept its question.",
});

const rehearsed = (script: string) => ({
  code: "rehearsal" as const,
  message: `No model is asked: the answers come from the script ${script}.`,
});
