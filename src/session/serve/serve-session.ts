import { settlesWithin } from "../../time/time-limit.ts";
import type { Socket } from "node:net";
import type { Logger } from "../../log/logger.ts";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { isAtRest } from "../../session-state/is-at-rest.ts";
import type { Session } from "../core/session.ts";
import { Client } from "./serve-client.ts";
import { ClientNames } from "./unique-client-names.ts";
import type { ProgramInfo, ServerContext } from "./server-context.ts";
import { Linger } from "./linger.ts";

/** How long a slow client may delay the end. */
const LAST_WORDS_MS = 1_000;

export interface ServeOptions {
  readonly about: ProgramInfo;
  /** By default, `socketName` in a new private directory. */
  readonly socketPath?: string | undefined;
  readonly socketName?: string;
  /** A second socket, for clients that can only read. */
  readonly observePath?: string | undefined;
  /** Clients of the first socket can only read, too. */
  readonly readOnly?: boolean;
  /** Ends when it had no client that can send commands, and nothing to do, for this long. Absent: never. */
  readonly lingerMs?: number | undefined;
  /** A client requested the end, or `lingerMs` have passed. Called once. */
  readonly onEnd: (reason: "shutdown" | "linger") => void;
  readonly logger: Logger;
}

export interface SessionServer {
  readonly path: string;
  readonly observePath?: string;
  /** Sends what is left in bounded time, ends every connection and removes the sockets. */
  close(): Promise<void>;
}

/** Serves a session on a socket. @throws as `listen` does; then nothing is left behind. */
export async function serveSession(
  session: Session,
  options: ServeOptions,
): Promise<SessionServer> {
  const { logger } = options;
  const clients = new Set<Client>();
  let ending = false;
  let announcing: NodeJS.Immediate | undefined;
  const end = (reason: "shutdown" | "linger"): void => {
    if (!ending) options.onEnd(reason);
    ending = true;
  };
  const { log } = session;
  const linger = new Linger(options.lingerMs, isAtRest(log.state), () => end("linger"));
  const context: ServerContext = {
    session,
    about: options.about,
    names: new ClientNames(),
    clients: () => [...clients].map((client) => client.about),
    clientsChanged() {
      // Clients often come and go together, as at the end of a host.
      announcing ??= setImmediate(() => {
        announcing = undefined;
        for (const client of clients) client.announceClients();
      });
    },
    end: () => end("shutdown"),
    logDefect(error) {
      const isDefect = !(error instanceof ClaudeCodeError) || error.code === "internal";
      if (isDefect) logger.error({ err: error }, "a command failed because of a defect");
      return error;
    },
  };

  const welcome =
    (readOnly: boolean) =>
    (socket: Socket): void => {
      const client = new Client(socket, context, readOnly);
      clients.add(client);
      client.greet();
      context.clientsChanged();
      socket.once("close", () => {
        clients.delete(client);
        client.gone();
        context.clientsChanged();
      });
      if (!readOnly) linger.come();
      void client.serve().finally(() => {
        if (!readOnly) linger.go();
        // The client may have gone while its command was running.
        if (!socket.closed) socket.once("close", client.watchPresence());
      });
    };

  const unsubscribe = log.subscribe((batch) => {
    linger.rest(isAtRest(log.state));
    for (const client of clients) client.publish(batch);
  });
  session.watchChoices?.(() => {
    for (const client of clients) client.announceChoices();
  });
  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    linger.stop();
    const caughtUp = Promise.all([...clients].map((client) => client.caughtUp()));
    await settlesWithin(caughtUp, LAST_WORDS_MS);
    clearImmediate(announcing);
    unsubscribe();
    await Promise.all(listeners.map((listener) => listener.close()));
  };

  try {
    const { socketPath: path, socketName: name, observePath } = options;
    listeners.push(await listen(placeOf(path, name, welcome(options.readOnly ?? false))));
    if (observePath !== undefined) {
      listeners.push(await listen(placeOf(observePath, undefined, welcome(true))));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [control, observe] = listeners.map((listener) => listener.path);
  return {
    path: control ?? "",
    ...(observe !== undefined && { observePath: observe }),
    close,
  };
}

const placeOf = (
  path: string | undefined,
  name: string | undefined,
  onConnection: (socket: Socket) => void,
) => ({
  ...(path !== undefined && { path }),
  ...(name !== undefined && { name }),
  onConnection,
});
