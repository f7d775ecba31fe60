import { Command } from "commander";
import { createLogger } from "../../log/logger.ts";
import { packageVersion } from "../../files/package-version.ts";
import { amount, stateDirOption } from "./flag-values.ts";

interface ReplayFlags {
  readonly socket?: string;
  readonly speed: number;
  readonly stateDir?: string;
}

const help = `
LOG is the id of a session or of its log ('agent-socket list' shows both), the
directory of a log, or a file with one event per line. The log is not changed.

Clients connect, attach and read as with a running session. Commands are refused
with read_only, except shutdown, which ends the replay. After the last event the
replay stays, so that clients can attach again.

Example:
  agent-socket replay ID --socket /tmp/replay.sock --speed 10 &
  agent-socket attach /tmp/replay.sock`;

/** `agent-socket replay`: serves a recorded log as if it were live, for authors of clients. */
export function replayCommand(): Command {
  return new Command("replay")
    .description("serve a recorded log as if it were live")
    .argument("<log>", "the id of a session or log, a log's directory, or a file with events")
    .option("--socket <path>", "listen here (default: a socket in a private directory)")
    .option("--speed <factor>", "play it N times as fast as it was recorded", amount, 1)
    .addOption(stateDirOption())
    .addHelpText("after", help)
    .action(replay);
}

async function replay(log: string, { socket, speed, stateDir }: ReplayFlags): Promise<void> {
  // Loaded on demand: help does not need the session.
  const { findLog } = await import("./find-session.ts");
  const { runReplay } = await import("../../session/replay/run-replay.ts");
  const logger = createLogger({ name: "agent-socket", fallback: "info" });
  const options = { socket, speed, version: packageVersion, logger };
  await runReplay(findLog(log, stateDir), options, (path) => {
    process.stdout.write(`${JSON.stringify({ type: "ready", socket: path, pid: process.pid })}\n`);
  });
}
