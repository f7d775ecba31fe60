import { onTestFinished } from "vitest";
import { createLogger } from "../../src/log/logger.ts";
import { serveSession } from "../../src/session/serve/serve-session.ts";
import type { LoggedSession } from "./logged-session.ts";
import { SessionLineClient } from "./session-line-client.ts";

/** Serves the session until the test has finished; returns the path of its socket. */
export async function serveLogged(session: LoggedSession): Promise<string> {
  const server = await serveSession(session, {
    about: { version: "1.2.3", rehearsal: false },
    logger: createLogger({ name: "test" }),
    onEnd: () => {},
  });
  onTestFinished(() => server.close());
  return server.path;
}

/** A client that has read its first line. */
export async function connectLines(path: string): Promise<SessionLineClient> {
  const client = new SessionLineClient(path);
  await client.until("init");
  return client;
}
