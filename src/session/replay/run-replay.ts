import type { Logger } from "../../log/logger.ts";
import { onSignals } from "../host/end-on-signals.ts";
import { serveSession } from "../serve/serve-session.ts";
import { isRehearsal, readRecording } from "./read-recording.ts";
import { RecordedSession } from "./recorded-session.ts";

export interface ReplayOptions {
  /** The path of the socket; a private one by default. */
  readonly socket: string | undefined;
  /** How many times faster than it was recorded. */
  readonly speed: number;
  readonly version: string;
  readonly logger: Logger;
}

/**
 * Serves a log as if its session were live. Resolves when a signal or a client's `shutdown` has ended it.
 *
 * @param onReady is called with the path of the socket.
 * @throws as `readRecording` and `serveSession` do.
 */
export async function runReplay(
  path: string,
  { socket, speed, version, logger }: ReplayOptions,
  onReady: (socket: string) => void,
): Promise<void> {
  const recording = readRecording(path);
  const session = new RecordedSession(recording);
  const server = await serveSession(session, {
    about: { version, rehearsal: isRehearsal(recording) },
    socketPath: socket,
    socketName: "replay.sock",
    logger,
    onEnd: (reason) => void session.close(reason),
  }).catch(async (error: unknown) => {
    await session.close("signal");
    throw error;
  });
  const forget = onSignals(() => void session.close("signal"));
  onReady(server.path);
  await session.play(speed);
  await session.closed;
  forget();
  await server.close();
}
