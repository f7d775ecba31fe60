import type { Command } from "commander";
import { Option } from "commander";
import type { LogLevel } from "../../log/logger.ts";
import { createLogger, logLevels } from "../../log/logger.ts";
import type { HostFlags } from "../../session/host/run-host.ts";
import { errorOf } from "../../wire/errors.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import { outliveReader } from "../run.ts";
import { packageVersion } from "../../files/package-version.ts";
import { exitInTime } from "./exit-in-time.ts";
import {
  amount,
  count,
  named,
  nameds,
  positiveCount,
  readable,
  readableOrJson,
  readables,
  segmentBytes,
  toolList,
} from "./flag-values.ts";

const examples = `
Examples:
  agent-socket --cwd .                        start a session in this directory
  agent-socket --cwd . --socket /tmp/my.sock  choose the path of its socket
  agent-socket attach ID                      chat with it; ID is the session's
                                              id or the path of its socket
  agent-socket --cwd . --resume ID            continue a session, also one that
                                              'claude' began
  agent-socket --cwd . --rehearsal s.yaml     use a scripted model: no key
  agent-socket --cwd . --detach               start it in the background: it
                                              outlives this terminal
  nc -U /tmp/my.sock                          talk to it in lines of JSON
                                              (nc of netcat-openbsd):
    {"type":"message","text":"What is in this directory?"}
    {"type":"approve","request_id":"toolu_…"}

When clients may connect, it prints one line of JSON on stdout:
  {"type":"ready","socket":…,"session_id":…,"log_id":…,"log":…,"pid":…}
with the version of Claude Code (cli_version) and whether this package was
tested with it (cli_support). Logs go to stderr. Ctrl-C ends the session, and
--resume continues it. The exit codes are in docs/errors.md, the protocol is in
docs/protocol-session.md.`;

/** Enough of an id to distinguish it from others. */
const SHORT_ID_CHARS = 8;

type StartFlags = Partial<Pick<HostFlags, "cwd">> &
  Omit<HostFlags, "cwd"> & { logLevel?: LogLevel; detach?: boolean };

/** For the process in the background, which is started with the same flags. */
const attached = new Option("--no-detach").hideHelp();
/** For `switchboard join`: see the flag's field in HostFlags. */
const lease = new Option("--lease <file>").hideHelp();

/** Without a command: serves one session until it is ended. */
export function addStart(program: Command): Command {
  return program
    .usage("--cwd DIR [options] | COMMAND")
    .option("--cwd <dir>", "the directory that the session works in", named)
    .option(
      "--socket <path>",
      "listen here (default: agent-socket-<id>.sock in a private directory)",
      named,
    )
    .addOption(
      new Option("--resume <id>", "continue this session and its log")
        .argParser(named)
        .conflicts("continue"),
    )
    .option("--continue", "continue the newest session of the directory")
    .option("--fork", "with --resume or --continue: continue in a copy")
    .option("--at <message>", "with --fork: the copy ends with this message and its answer", named)
    .option(
      "--add-dir <dir...>",
      "more directories that tools may use like the one of --cwd",
      nameds,
    )
    .option("--model <model>", "the model, by a name that Claude Code knows", named)
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "which tools may run without asking (default: as the settings say)",
      ).choices(PermissionModeSchema.options),
    )
    .option(
      "--mcp-config <file...>",
      "MCP servers for this session, from files like .mcp.json",
      readables,
    )
    .option(
      "--tools <tools...>",
      'the only tools of Claude Code that the model gets; "" for none (default: all)',
      toolList,
    )
    .option(
      "--allowed-tools <tools...>",
      'tools that run without asking, such as "Bash(git *)" Read',
      toolList,
    )
    .option("--disallowed-tools <tools...>", "tools that the model does not get", toolList)
    .option("--max-budget-usd <dollars>", "stop when this process has spent this much", amount)
    .option("--max-turns <n>", "limit the requests to the model in one turn", positiveCount)
    .option("--settings <file>", "more settings for Claude Code: a file, or JSON", readableOrJson)
    .option("--append-system-prompt <text>", "add this text to Claude Code's system prompt")
    .option("--append-system-prompt-file <file>", "the same, from a file", readable)
    .option(
      "--policy <file>",
      "a file with rules that allow, deny or ask before a tool runs",
      readable,
    )
    .option("--trust", "use the project's own settings, hooks and MCP servers")
    .option(
      "--approval-timeout-ms <ms>",
      "deny a request that no client answers in this time; 0 waits for ever",
      count,
      300_000,
    )
    .addOption(
      new Option(
        "--lost-conversation <what>",
        "what to do if Claude Code's file of the session has lost messages: ask a person (default), restore them from the log, or go on without them",
      ).choices(["ask", "restore", "forget"]),
    )
    .option(
      "--continue-at-reset",
      "go on by itself when the account's usage limit has ended a turn and resets",
    )
    .option(
      "--detach",
      "start it in the background, print its ready line and exit; it outlives the program that started it",
    )
    .addOption(attached)
    .addOption(lease)
    .option("--observe-socket <path>", "a second socket, whose clients can only watch", named)
    .option(
      "--linger-ms <ms>",
      "end when it had no client and nothing to do for this long (default: never)",
      count,
    )
    .option(
      "--state-dir <dir>",
      "keep logs in this directory (default: $XDG_STATE_HOME/switchboard)",
      named,
    )
    .option(
      "--log-segment-bytes <n>",
      "begin a new log file at this size (default: 64 MB)",
      segmentBytes,
    )
    .option(
      "--claude-path <file>",
      "the Claude Code CLI to run (default: the one that this package brings)",
      named,
    )
    .addOption(
      new Option(
        "--recovery <path>",
        "after a crash: ask an open request again under its id (full), or under a new one (careful); the default depends on the CLI's version",
      ).choices(["full", "careful"]),
    )
    .option("--rehearsal <script>", "use a scripted model instead of the real one", named)
    .addOption(new Option("--log-level <level>", "how much to log on stderr").choices(logLevels))
    .addHelpText("after", examples)
    .action(start);
}

async function start(flags: StartFlags, program: Command): Promise<void> {
  if (process.argv.length === 2) program.help({ error: true });
  const { cwd, logLevel: level, detach = false, ...rest } = flags;
  if (cwd === undefined) {
    throw errorOf(
      "invalid_params",
      "--cwd is missing. It names the directory in which the session works.",
      {
        hint: "For this directory: agent-socket --cwd .",
      },
    );
  }
  if (detach) return startInBackground(rest.stateDir);
  const logger = createLogger({ name: "agent-socket", level, fallback: "info" });
  // The process that started us may be gone; the session goes on.
  outliveReader();
  // Loaded on demand: help and the other commands do not need the Agent SDK.
  const { runHost } = await import("../../session/host/run-host.ts");
  try {
    const ended = await runHost({ ...rest, cwd }, { version: packageVersion, logger }, (ready) => {
      process.stdout.write(`${JSON.stringify(ready)}\n`);
      // On a terminal the line above is already printed, and a person wants to know what comes next.
      if (!process.stdout.isTTY) logger.info({ ...ready }, "ready");
      else process.stderr.write(welcome(ready));
    });
    logger.info({ reason: ended.reason }, "ended");
    if (ended.error) throw ended.error;
  } finally {
    exitInTime(logger);
  }
}

async function startInBackground(stateDir: string | undefined): Promise<void> {
  const { startDetachedHost } = await import("./detached-host.ts");
  const ready = await startDetachedHost(process.argv.slice(1), stateDir);
  if (ready === undefined) throw errorOf("aborted", "The start was interrupted.");
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  if (process.stdout.isTTY) process.stderr.write(welcome(ready));
}

const welcome = ({ session_id, log }: { session_id: string; log: string }): string =>
  `To talk with it, run in another terminal:  agent-socket attach ${session_id.slice(0, SHORT_ID_CHARS)}
Its log:  ${log}
`;
