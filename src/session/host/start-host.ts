import type { CliSupport } from "../../engine/cli-support.ts";
import { cliSupport } from "../../engine/cli-support.ts";
import type { McpServerConfig } from "../../engine/index.ts";
import type { Logger } from "../../log/logger.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import { sweepOrphans } from "../../proc/sweep-processes.ts";
import type { SessionEnd, SessionOptions } from "../core/session.ts";
import { startSession } from "../core/session.ts";
import { bridgeTools } from "../files/bridge-tools.ts";
import type { ClaudeConfig } from "../../claude-config/claude-config.ts";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import { LogIndex } from "../files/log-index.ts";
import { modeFromSettings } from "../files/mode-from-settings.ts";
import { stateDirectory } from "../files/state-directory.ts";
import { isTrusted } from "../../claude-config/trust.ts";
import { serveSession } from "../serve/serve-session.ts";
import { chooseSession } from "./choose-session.ts";
import type { HostFlags } from "./host-flags.ts";
import { HostLock } from "./host-lock.ts";
import { logUnreadMessage } from "./log-unread-message.ts";
import { modelEnvironment } from "./model-environment.ts";
import { removeSocketOfLastCli, recordCliPid } from "./cli-pid-file.ts";
import { openSessionLog } from "./open-session-log.ts";
import type { ReadFlags } from "./read-flags.ts";
import { readFlags } from "./read-flags.ts";

/** How long sockets, lock and rehearsal may take to be cleared away. */
const CLEAR_MS = 10_000;

export interface HostSetting {
  /** Of this package. */
  readonly version: string;
  readonly logger: Logger;
}

/** Printed once, when clients may connect. */
export interface Ready {
  type: "ready";
  socket: string;
  observe_socket?: string;
  session_id: string;
  log_id: string;
  /** The directory of the log. */
  log: string;
  pid: number;
  /** Claude Code's version; absent when it does not report it. */
  cli_version?: string;
  cli_support: CliSupport["kind"];
}

/** One session with its socket, its log and its lock. */
export interface Host {
  readonly ready: Ready;
  /** Resolves when everything has ended and is cleaned up. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /** Ends the turn in bounded time, informs the clients, removes the socket. */
  end(reason: "signal"): void;
}

/**
 * Starts a session from its flags. Throws an error of the table for whatever fails before the session is ready, and
 * leaves nothing behind.
 */
export async function startHost(flags: HostFlags, setting: HostSetting): Promise<Host> {
  const { logger, version } = setting;
  const read = readFlags(flags);
  const root = stateDirectory(flags.stateDir);
  await using cleanup = new AsyncDisposableStack();

  const env = await modelEnvironment(flags, cleanup);
  const config = claudeConfig({ ...process.env, ...env });
  const places = new LogIndex(root);
  const choice = await chooseSession({ ...flags, cwd: read.cwd }, config.directory, places);
  const held = await HostLock.take(choice.sessionId, read.cwd, places, logger);
  cleanup.defer(() => held.release());
  const { log, directory } = await openSessionLog(places, choice.sessionId, {
    logger,
    ...(flags.logSegmentBytes !== undefined && { maxSegmentBytes: flags.logSegmentBytes }),
  });
  // The session closes the log; until there is a session, we do.
  const unopened = cleanup.adopt(log, (each) => each.close().catch(() => {}));

  // A host that was killed together with its watchdog leaves processes behind: a CLI, which may go on writing, or
  // background tasks of an idle one. A new log had no host before.
  if (log.epoch > 1) {
    await sweepOrphans();
    removeSocketOfLastCli(directory, env);
  }

  const session = await startSession({
    ...choice,
    ...cliOptions(flags, read, config),
    privateDir: directory,
    env,
    log: unopened,
    onDebug: (event) => logUnreadMessage(event, logger),
    onCliReady: (pid) => recordCliPid(directory, pid),
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
    const cleared = rest
      .disposeAsync()
      .catch((err: unknown) => logger.error({ err }, "the session did not end cleanly"));
    if (!(await settlesWithin(cleared, CLEAR_MS))) {
      logger.error("the session did not end cleanly in time");
    }
    return how;
  });
  return {
    ready: {
      type: "ready",
      socket: server.path,
      ...(server.observePath !== undefined && { observe_socket: server.observePath }),
      session_id: log.state.sessionId ?? choice.sessionId,
      log_id: log.logId,
      log: directory,
      pid: process.pid,
      ...(session.cliVersion !== undefined && { cli_version: session.cliVersion }),
      cli_support: cliSupport(session.cliVersion ?? "").kind,
    },
    ended,
    end: (reason) => void session.close(reason),
  };
}

type CliOptions = Omit<SessionOptions, "log" | "sessionId" | "origin" | "env">;

function cliOptions(flags: HostFlags, read: ReadFlags, config: ClaudeConfig): CliOptions {
  const { cwd, addedDirectories, settings, settingsContent, appendSystemPrompt, policy } = read;
  const trusted = flags.trust === true || isTrusted(cwd, config);
  const { model, permissionMode, maxTurns, maxBudgetUsd, claudePath, lostConversation } = flags;
  return {
    cwd,
    ...(addedDirectories.length > 0 && { addedDirectories }),
    settingSources: trusted ? ["user", "project", "local"] : ["user"],
    defaultMode: modeFromSettings({ cwd, config, trusted, settings: settingsContent }),
    approvalTimeoutMs: flags.approvalTimeoutMs,
    ...(Object.keys(read.mcpServers).length > 0 && {
      // Written for the CLI, which validates them itself.
      mcpServers: read.mcpServers as Record<string, McpServerConfig>,
    }),
    toolsOf: (server) => bridgeTools(read.mcpServers[server]),
    notices: [
      ...(trusted ? [] : [untrusted(cwd)]),
      ...(flags.rehearsal === undefined ? [] : [rehearsed(flags.rehearsal)]),
    ],
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(flags.tools && { builtInTools: [...flags.tools] }),
    ...(flags.allowedTools && { allowedTools: [...flags.allowedTools] }),
    ...(flags.disallowedTools && { disallowedTools: [...flags.disallowedTools] }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(claudePath !== undefined && { claudePath }),
    ...(flags.continueAtReset === true && { continueAtReset: true }),
    ...(lostConversation !== undefined && { lostConversation }),
    ...(flags.recovery && { recovery: flags.recovery }),
    ...(settings !== undefined && { settings }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
    ...(policy && { policy }),
  };
}

const untrusted = (cwd: string) => ({
  code: "untrusted_project" as const,
  message: `${cwd} is not trusted, so its own settings, hooks, instructions and MCP servers are ignored.`,
  hint: "If you trust it, start with --trust (in a team: 'trust: true' in the team file), or run 'claude' there once and accept its question.",
});

const rehearsed = (script: string) => ({
  code: "rehearsal" as const,
  message: `No model is called: the answers come from the script ${script}.`,
});
