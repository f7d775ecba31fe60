import type { Duplex } from "node:stream";

/** How long a peer that does not read may delay a close. */
const FLUSH_GRACE_MS = 1_000;

/** Hands the queued bytes to the kernel, then closes. Idempotent; never rejects. */
export async function closeSocket(socket: Duplex): Promise<void> {
  if (socket.closed) return;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const timer = setTimeout(() => socket.destroy(), FLUSH_GRACE_MS);
  if (socket.writable) socket.end();
  if (socket.writableFinished) socket.destroy();
  else socket.once("finish", () => socket.destroy());
  await closed;
  clearTimeout(timer);
}
