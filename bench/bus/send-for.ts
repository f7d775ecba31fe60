import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Bus } from "../../src/bus/bus.ts";
import { makeMessage } from "./message.ts";

export interface Sent {
  perSecond: number;
  /** From send to the durable acknowledgement. */
  delaysMs: number[];
  loopP99Ms: number;
}

/** So many senders at once, each of which waits for its acknowledgement before it sends again. */
export async function sendFor(bus: Bus, senders: number, forMs: number): Promise<Sent> {
  const delaysMs: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      while (performance.now() - start < forMs) {
        const message = makeMessage(`s${sender}`, "bob");
        const sentAt = performance.now();
        await bus.send(message);
        delaysMs.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  loop.disable();
  return { perSecond: delaysMs.length / seconds, delaysMs, loopP99Ms: loop.percentile(99) / 1e6 };
}
