import { Command, Option } from "commander";
import { packageVersion } from "../../files/package-version.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { outliveReader } from "../run.ts";
import { count, named, readable, readableOrJson, toolList } from "./flag-values.ts";

interface AcpFlags {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly settings?: string;
  readonly appendSystemPrompt?: string;
  readonly policy?: string;
  readonly trust?: boolean;
  readonly approvalTimeoutMs: number;
  readonly lingerMs: number;
  readonly stateDir?: string;
  readonly claudePath?: string;
  readonly rehearsal?: string;
}

/** Half an hour. */
const LINGER_MS = 1_800_000;
/** What an open connection may still keep the process for. */
const EXIT_MS = 3_000;

const help = `
An editor starts this command and speaks the Agent Client Protocol (ACP) with it
on stdin and stdout. Each session has a process of its own, which goes on when
the editor ends: load the session again, and nothing is lost. Settings for Zed,
JetBrains, Neovim and Emacs are in docs/acp.md.

Examples:
  agent-socket acp                           with your own login or key
  agent-socket acp --trust --model opus
  agent-socket acp --rehearsal script.yaml   a scripted model: no key
  agent-socket list                          the sessions, also those that run
  agent-socket attach ID                     the same session on a terminal`;

/** `agent-socket acp`: an agent for editors. */
export function acpCommand(): Command {
  return new Command("acp")
    .description("serve an editor that speaks the Agent Client Protocol")
    .option("--model <model>", "the model of new sessions", named)
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "which tools may run without asking (default: as the settings say)",
      ).choices(PermissionModeSchema.options),
    )
    .option("--allowed-tools <tools...>", "tools that run without asking", toolList)
    .option("--disallowed-tools <tools...>", "tools that the model does not get", toolList)
    .option("--settings <file>", "more settings for Claude Code: a file, or JSON", readableOrJson)
    .option("--append-system-prompt <text>", "add this text to Claude Code's system prompt")
    .option("--policy <file>", "a file with rules that decide before a tool runs", readable)
    .option("--trust", "use the projects' own settings, hooks and MCP servers")
    .option(
      "--approval-timeout-ms <ms>",
      "deny a request that nobody answers in this time; 0 waits for ever",
      count,
      0,
    )
    .option(
      "--linger-ms <ms>",
      "end a session's process when it had no client and nothing to do for this long",
      count,
      LINGER_MS,
    )
    .option("--state-dir <dir>", "keep logs in this directory", named)
    .option("--claude-path <file>", "the Claude Code CLI to run", named)
    .option("--rehearsal <script>", "use a scripted model instead of the real one", named)
    .addHelpText("after", help)
    .action(serve);
}

const one = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${name}=${value}`];

const many = (name: string, values: readonly string[] = []): string[] =>
  values.map((value) => `${name}=${value}`);

/** The flags that every host gets. */
function hostFlags(flags: AcpFlags): string[] {
  return [
    ...one("--model", flags.model),
    ...one("--permission-mode", flags.permissionMode),
    ...many("--allowed-tools", flags.allowedTools),
    ...many("--disallowed-tools", flags.disallowedTools),
    ...one("--settings", flags.settings),
    ...one("--append-system-prompt", flags.appendSystemPrompt),
    ...one("--policy", flags.policy),
    ...(flags.trust === true ? ["--trust"] : []),
    ...one("--state-dir", flags.stateDir),
    ...one("--claude-path", flags.claudePath),
    ...one("--rehearsal", flags.rehearsal),
  ];
}

async function serve(flags: AcpFlags): Promise<void> {
  // The end of the editor is no failure.
  outliveReader();
  // Loaded on demand: the other commands do not need the library of the protocol.
  const { serveAcp } = await import("../../acp/serve-acp.ts");
  const { hostsOf } = await import("./acp-hosts.ts");
  using interruption = listenForInterruption();
  const { stateDir, rehearsal, approvalTimeoutMs, lingerMs } = flags;
  const face = serveAcp({
    version: packageVersion,
    hosts: hostsOf({ stateDir, rehearsal: rehearsal !== undefined }),
    hostFlags: hostFlags(flags),
    approvalTimeoutMs,
    lingerMs,
    input: process.stdin,
    output: process.stdout,
  });
  void interruption.first.then(() => face.detach());
  await face.ended;
  process.stdin.destroy();
  setTimeout(() => process.exit(), EXIT_MS).unref();
}
