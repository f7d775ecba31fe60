import type { Socket } from "node:net";

/** How long a peer that does not read may hold up a close. */
const FLUSH_GRACE_MS = 1_000;

/** Hands the queued bytes to the kernel, then closes. May be called again; never rejects. */
export async function closeSocket(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const timer = setTimeout(() => socket.destroy(), FLUSH_GRACE_MS);
  socket.destroySoon();
  await closed;
  clearTimeout(timer);
}
