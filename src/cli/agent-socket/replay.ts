import { Command } from "commander";
import { createLogger } from "../../log/logger.ts";
import { version } from "../version.ts";
import { amount } from "./flag-values.ts";

interface ReplayFlags {
  readonly socket?: string;
  readonly speed: number;
}

const help = `
LOG is the directory of a session's log, or a file with one event per line. The recording is not changed.
Clients connect, attach and read as with a session that runs; commands are refused with read_only, and
shutdown ends the replay. After the last event it stays, so that clients may attach and read again.

Example:
  agent-socket replay LOG --socket /tmp/replay.sock --speed 10 &
  agent-socket attach /tmp/replay.sock`;

/** `agent-socket replay`: a recorded log, served as if it were live, for those who write clients. */
export function replayCommand(): Command {
  return new Command("replay")
    .description("serve a recorded log as if it were live")
    .argument("<log>", "a log's directory, or a file of events")
    .option("--socket <path>", "where to listen (default: a private place)")
    .option("--speed <n>", "so many times as fast as it was", amount, 1)
    .addHelpText("after", help)
    .action(replay);
}

async function replay(path: string, { socket, speed }: ReplayFlags): Promise<void> {
  // Loaded when it is needed: help does without the session.
  const { readRecording } = await import("../../session/replay/read-recording.ts");
  const { RecordedSession } = await import("../../session/replay/recorded-session.ts");
  const { serveSession } = await import("../../session/serve/server.ts");
  const { onSignals } = await import("../../session/host/signals.ts");
  const session = new RecordedSession(readRecording(path));
  const server = await serveSession(session, {
    about: { version, rehearsal: false },
    socketPath: socket,
    socketName: "replay.sock",
    logger: createLogger({ name: "agent-socket", fallback: "info" }),
    onEnd: (reason) => void session.close(reason),
  }).catch(async (error: unknown) => {
    await session.close("signal");
    throw error;
  });
  const forget = onSignals(() => void session.close("signal"));
  process.stdout.write(
    `${JSON.stringify({ type: "ready", socket: server.path, pid: process.pid })}\n`,
  );
  await session.play(speed);
  await session.closed;
  forget();
  await server.close();
}
