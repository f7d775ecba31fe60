import type { Duplex } from "node:stream";

type Done = (error?: Error | null) => void;

/**
 * Node destroys a socket when a write fails, and with it what the peer had sent before it left: its last answers, or
 * the reason why it left. Here `onError` gets a failed write, and only the sending side stalls; the socket can be
 * read to its end, and the caller then destroys it.
 */
export function holdWriteErrors(socket: Duplex, onError: (error: Error) => void): void {
  const hold =
    (done: Done): Done =>
    (error) =>
      error && !socket.destroyed ? onError(error) : done(error);
  const write = socket["_write"].bind(socket);
  const writev = socket["_writev"]?.bind(socket);
  socket["_write"] = (chunk, encoding, done) => write(chunk, encoding, hold(done));
  if (writev) socket["_writev"] = (chunks, done) => writev(chunks, hold(done));
}
