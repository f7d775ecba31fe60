import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Command } from "commander";
import { packageVersion } from "../../files/package-version.ts";
import { createLogger } from "../../log/logger.ts";
import { stateKey } from "../../mcp/state-key.ts";
import { TeamConnections } from "../../mcp/team-connections.ts";
import { teamMcpServers } from "../../mcp/team-mcp-server.ts";
import { userName } from "../../proc/current-user.ts";
import { runToEnd } from "../../proc/run-to-end.ts";
import { privateDirectory, userStateDirectory } from "../../session/stored-sessions.ts";
import type { TeamClient } from "../../team/core.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { outliveReader } from "../run.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectUnderName, stateDirOption, teamOption } from "./find-team.ts";

const examples = `
Examples:
  claude mcp add team -- switchboard mcp
                               give your Claude Code the team of a directory
  switchboard mcp --state-dir ./state
                               a team of your choice
  switchboard mcp --up team.yaml
                               start the team if it is not running

An MCP client starts this command and speaks MCP with it on stdin and stdout.
The client's model gets the tools ask_team, team_wait, team_status and
team_tasks. What agents want to do is asked of the person, in a form that the
client shows. docs/mcp.md has more.`;

interface McpFlags extends TeamPlace {
  up?: string;
  rehearsal?: string;
  mayDecide?: boolean;
  cancelWithCall?: boolean;
}

/** `switchboard mcp`: an MCP server on stdin and stdout that gives its client a team. */
export function mcpCommand(): Command {
  return new Command("mcp")
    .description("an MCP server that gives any MCP client a team")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--up <team.yaml>", "start this team when it is not running")
    .option("--rehearsal <script>", "with --up: use a scripted model instead of the real one")
    .option("--may-decide", "let the client's model decide what agents do (default: a person)")
    .option("--cancel-with-call", "take the task back when the client cancels its call")
    .addHelpText("after", examples)
    .action(mcp);
}

async function mcp({ mayDecide, cancelWithCall, ...flags }: McpFlags): Promise<void> {
  outliveReader();
  const log = createLogger({ name: "mcp" });
  using interruption = listenForInterruption();
  await using connections = new TeamConnections((name) => connect(name, flags));
  const newServer = teamMcpServers({
    connections,
    person: userName(),
    stateKey: stateKey(join(privateDirectory(userStateDirectory()), "mcp-form.key")),
    version: packageVersion,
    mayDecide: mayDecide ?? false,
    cancelWithCall: cancelWithCall ?? false,
  });
  const inputEnded = new Promise<void>((done) => {
    process.stdin.once("end", done).once("close", done);
  });
  const server = serveStdio(newServer, {
    onerror: (err) => log.warn({ err }, "An MCP message could not be handled."),
  });
  await Promise.race([inputEnded, interruption.first]);
  await server.close();
  process.stdin.destroy();
}

/** @throws as `connectUnderName`; what kept the team from starting. */
async function connect(name: string, { up, rehearsal, ...place }: McpFlags): Promise<TeamClient> {
  try {
    return await connectUnderName(place, name);
  } catch (error) {
    const isAbsent = error instanceof ClaudeCodeError && error.code === "team_not_running";
    if (up === undefined || !isAbsent) throw error;
  }
  return connectUnderName({ stateDir: await start(up, rehearsal, place) }, name);
}

// The same from src/ and from dist/.
const program = fileURLToPath(new URL("../../../bin/switchboard.js", import.meta.url));
const START_MS = 120_000;

/** Starts the team in the background, where it outlives us. Returns its state directory. */
async function start(
  file: string,
  rehearsal: string | undefined,
  { stateDir }: TeamPlace,
): Promise<string> {
  const where = stateDir === undefined ? [] : ["--state-dir", resolve(stateDir)];
  const script = rehearsal === undefined ? [] : ["--rehearsal", resolve(rehearsal)];
  const { ok, out, err } = await runToEnd({
    command: process.execPath,
    args: [program, "up", "-d", "--json", ...where, ...script, file],
    env: process.env,
    timeoutMs: START_MS,
  });
  const started = ok ? (JSON.parse(out) as { state_dir?: string }) : {};
  if (started.state_dir !== undefined) return started.state_dir;
  throw errorOf("team_not_running", `The team of ${file} could not be started: ${err.trim()}`, {
    hint: `Start it by hand: switchboard up ${file}`,
  });
}
