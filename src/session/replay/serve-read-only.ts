import { createLogger } from "../../log/logger.ts";
import { serveSession } from "../serve/serve-session.ts";
import { isRehearsal, readRecording } from "./read-recording.ts";
import { RecordedSession } from "./recorded-session.ts";

export interface ServedRecording extends AsyncDisposable {
  readonly socket: string;
}

/**
 * Serves the log of a session that does not run, all at once, on a private socket whose clients can only read.
 *
 * @throws as `readRecording` does.
 */
export async function serveReadOnly(path: string, version: string): Promise<ServedRecording> {
  const recording = readRecording(path);
  const session = new RecordedSession(recording);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => session.close("shutdown"));
  await session.tell();
  const server = await serveSession(session, {
    about: { version, rehearsal: isRehearsal(recording) },
    socketName: "log.sock",
    readOnly: true,
    logger: createLogger({ name: "agent-socket", fallback: "error" }),
    onEnd: () => {},
  });
  cleanup.defer(() => server.close());
  const rest = cleanup.move();
  return { socket: server.path, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}
