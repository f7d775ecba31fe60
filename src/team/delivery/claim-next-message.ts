import type { Bus, Delivery } from "../../bus/bus.ts";
import type { Accept } from "../../bus/inbox-order.ts";
import { untilAborted } from "../../time/abortable-waits.ts";
import type { Recipient } from "./recipient-port.ts";

export const LEASE_MS = 60_000;

const midTurn: readonly Accept[] = [{ lanes: ["answer", "control"] }, { priorities: ["urgent"] }];
/** A quiet message waits until the agent is awake for another reason. */
const wakening: readonly Accept[] = [
  { lanes: ["work", "answer", "control"] },
  { priorities: ["urgent"] },
];

/**
 * Leases the most pressing message that the recipient may get now, or waits for one.
 *
 * @param signal ends the wait; then there is no message.
 */
export async function claimNext(
  bus: Pick<Bus, "claim">,
  { id, session, isAsleep }: Recipient,
  isBusy: boolean,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  if (!session && !isAsleep) {
    await untilAborted(signal);
    return undefined;
  }
  const accept = isAsleep ? wakening : isBusy ? midTurn : undefined;
  const [delivery] = await bus.claim(id, {
    leaseMs: LEASE_MS,
    signal,
    ...(accept && { accept }),
  });
  return delivery;
}
