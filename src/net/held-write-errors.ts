import type { Socket } from "node:net";

type Done = (error?: Error | null) => void;

/**
 * Node destroys a socket when a write fails, and with it what the peer had sent before it left: its
 * last answers, or the reason why it left. Here a failed write is told to `onError` and only stalls
 * the sending side; the socket can be read to its end, and the caller then destroys it.
 */
export function holdWriteErrors(socket: Socket, onError: (error: Error) => void): void {
  const hold =
    (done: Done): Done =>
    (error) =>
      error && !socket.destroyed ? onError(error) : done(error);
  const write = socket["_write"].bind(socket);
  const writev = socket["_writev"]?.bind(socket);
  socket["_write"] = (chunk, encoding, done) => write(chunk, encoding, hold(done));
  if (writev) socket["_writev"] = (chunks, done) => writev(chunks, hold(done));
}
