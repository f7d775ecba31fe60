import type { Command } from "commander";
import { Option } from "commander";
import type { LogLevel } from "../../log/logger.ts";
import { createLogger, logLevels } from "../../log/logger.ts";
import type { HostFlags } from "../../session/host/flags.ts";
import { errorOf } from "../../wire/errors.ts";
import { PermissionModeSchema } from "../../wire/session-terms.ts";
import { outliveReader } from "../run.ts";
import { version } from "../version.ts";
import { amount, count, named, positiveCount, segmentBytes, toolList } from "./flag-values.ts";
import { readable, readableOrJson, readables } from "./flag-values.ts";

const examples = `
Examples:
  agent-socket --cwd .                            a session in this directory; the socket's path is printed
  agent-socket --cwd . --socket /tmp/my.sock      the same at a path of your choice
  nc -U /tmp/my.sock                              talk to it (netcat-openbsd), in one line of JSON each:
    {"type":"message","text":"What is in this directory?"}
    {"type":"approve","request_id":"toolu_…"}
  agent-socket --cwd . --resume ID                go on with a session, also one that 'claude' began
  agent-socket --cwd . --rehearsal script.yaml    a scripted model: no key, nothing leaves this machine

When it is ready it prints one line of JSON on stdout: {"type":"ready","socket":…,"session_id":…,"log_id":…,"pid":…}.
Logs go to stderr. Ctrl-C ends the session; --resume takes it up again. Exit codes: docs/errors.md; protocol:
docs/protocol-session.md.`;

type StartFlags = Partial<Pick<HostFlags, "cwd">> &
  Omit<HostFlags, "cwd"> & { logLevel?: LogLevel };

/** Without a command: one session, served until somebody ends it. */
export function addStart(program: Command): Command {
  return program
    .usage("--cwd DIR [options] | COMMAND")
    .option("--cwd <dir>", "the directory that the session works in", named)
    .option(
      "--socket <path>",
      "where to listen (default: agent-socket-<id>.sock in a private place)",
      named,
    )
    .addOption(
      new Option("--resume <id>", "go on with this session and its log")
        .argParser(named)
        .conflicts("continue"),
    )
    .option("--continue", "go on with the newest session of the directory")
    .option("--fork", "with --resume or --continue: go on in a copy")
    .option("--model <model>", "the model to use, as Claude Code knows it", named)
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "what may run unasked (default: the settings')",
      ).choices(PermissionModeSchema.options),
    )
    .option(
      "--mcp-config <file...>",
      "MCP servers for this session, from files like .mcp.json",
      readables,
    )
    .option("--allowed-tools <tools...>", 'what runs unasked, as in "Bash(git *)" Read', toolList)
    .option("--disallowed-tools <tools...>", "what the model does not get", toolList)
    .option("--max-budget-usd <dollars>", "stop when this process has spent so much", amount)
    .option("--max-turns <n>", "most model calls in one turn", positiveCount)
    .option(
      "--settings <file>",
      "more settings of Claude Code, from a file or as JSON",
      readableOrJson,
    )
    .option("--append-system-prompt <text>", "added to Claude Code's own system prompt")
    .option("--append-system-prompt-file <file>", "the same, from a file", readable)
    .option("--trust", "use the project's own settings, hooks and MCP servers")
    .option("--approval-timeout-ms <ms>", "deny what nobody answers; 0: never", count, 300_000)
    .option("--observe-socket <path>", "a second socket, for clients that may only watch", named)
    .option("--linger-ms <ms>", "end when no client was there for so long (default: never)", count)
    .option(
      "--state-dir <dir>",
      "where logs are kept (default: $XDG_STATE_HOME/switchboard)",
      named,
    )
    .option(
      "--log-segment-bytes <n>",
      "the log begins a new file at this size (default: 64 MB)",
      segmentBytes,
    )
    .option(
      "--claude-path <file>",
      "the Claude Code CLI to run (default: the one that came along)",
      named,
    )
    .option("--rehearsal <script>", "a scripted model in place of the real one", named)
    .addOption(new Option("--log-level <level>", "how much to tell on stderr").choices(logLevels))
    .addHelpText("after", examples)
    .action(start);
}

async function start(flags: StartFlags, program: Command): Promise<void> {
  if (process.argv.length === 2) program.help({ error: true });
  const { cwd, logLevel: level, ...rest } = flags;
  if (cwd === undefined) {
    throw errorOf(
      "invalid_params",
      "--cwd is missing: in which directory shall the session work?",
      {
        hint: "For this directory: agent-socket --cwd .",
      },
    );
  }
  const logger = createLogger({ name: "agent-socket", level, fallback: "info" });
  // Whoever started us may be gone; the session goes on.
  outliveReader();
  // Loaded when it is needed: help and the other commands do without the Agent SDK.
  const { runHost } = await import("../../session/host/run-host.ts");
  const ended = await runHost({ ...rest, cwd }, { version, logger }, (ready) => {
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  });
  logger.info({ reason: ended.reason }, "ended");
  if (ended.error) throw ended.error;
}
