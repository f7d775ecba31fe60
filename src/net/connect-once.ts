import { once } from "node:events";
import type { Socket } from "node:net";
import { createConnection } from "node:net";

/**
 * One try to connect. Rejects with the system's error, with ETIMEDOUT, or with ABORT_ERR, and leaves no socket
 * behind. The socket stays writable when the peer has ended its side.
 */
export async function connect(
  path: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Socket> {
  const socket = createConnection({ path, allowHalfOpen: true });
  const abort = (): void => void socket.destroy(failure("ABORT_ERR", "aborted"));
  const timer = setTimeout(() => {
    socket.destroy(failure("ETIMEDOUT", `no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  signal?.addEventListener("abort", abort);
  try {
    await once(socket, "connect");
    // A broken connection must not end the program, whether or not its owner listens.
    return socket.on("error", () => {});
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });
