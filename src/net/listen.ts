import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { onExit } from "./clean-up-at-exit.ts";
import { closeSocket } from "./close-socket.ts";
import { socketAtPath } from "./socket-file/socket-at-path.ts";
import { socketInPrivateDirectory } from "./socket-file/socket-in-private-directory.ts";
import { checkNamesFile } from "./socket-file/socket-path.ts";

export interface ListenOptions {
  /** A path of the caller's choice; a dead socket there is replaced. By default a new private directory. */
  readonly path?: string;
  /** The file's name in the private directory. */
  readonly name?: string;
  /**
   * Called for each connection, before anything is read from it. The socket stays writable when the peer has ended
   * its side, so that earlier requests can still be answered.
   */
  readonly onConnection: (socket: Socket) => void;
}

export interface Listener extends AsyncDisposable {
  /** Absolute. Only processes of the same user can connect. */
  readonly path: string;
  /** The listener no longer keeps the process alive; its open connections still do. */
  unref(): void;
  /** Removes the socket from the disk and ends every connection in bounded time. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens on a Unix socket that only the user can reach, at every moment. What it put on the disk is removed on
 * `close` and when the process ends, except by SIGKILL.
 *
 * @throws `socket_in_use` when another process serves the path or may do so, `socket_path_invalid` when the path is
 * invalid or too long, cannot be created, or is another kind of file, `unsafe_place` when another user could replace
 * the socket there.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const connections = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    // A broken connection must not end the program, whether or not its owner listens.
    socket.on("error", () => {});
    options.onConnection(socket);
  });

  const place =
    options.path === undefined
      ? socketInPrivateDirectory(options.name ?? "switchboard.sock")
      : socketAtPath(absolute(options.path));
  const unregister = onExit(() => place.vacate());
  const shutDown = async (): Promise<void> => {
    unregister();
    // While the server is open: afterwards another socket could get the inode that identifies ours.
    place.vacate();
    await endServer(server, connections);
  };
  try {
    await place.occupy(server);
  } catch (error) {
    await shutDown();
    throw error;
  }
  server.on("error", (error) => process.emitWarning(error));

  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= shutDown());
  return {
    path: place.path,
    unref: () => void server.unref(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function absolute(path: string): string {
  checkNamesFile(path);
  return resolve(path);
}

async function endServer(server: Server, connections: Set<Socket>): Promise<void> {
  const serverClosed = new Promise((resolveClosed) => server.close(resolveClosed));
  await Promise.all([...connections].map(closeSocket));
  await serverClosed;
}
