import type { Channel } from "../../net/channel.ts";

/** Queues the bytes as soon as the peer has read enough of what is queued before them. */
export async function sendInTurn(
  channel: Pick<Channel<unknown, unknown>, "trySend" | "drained">,
  bytes: Uint8Array,
): Promise<void> {
  while (!channel.trySend(bytes)) await channel.drained();
}
