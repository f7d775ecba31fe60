import type { Carrier, CarrierListener } from "../../../src/tunnel/carrier.ts";

/** What becomes of a message: by default it arrives. */
export type Fate = "arrives" | "is lost" | "comes twice" | "comes later";

export interface CarrierEnd extends Carrier {
  /** Every message that this end has sent, whatever became of it. */
  readonly sent: { readonly channel: string; readonly bytes: Uint8Array }[];
}

/** Two ends of a carrier in memory. `deliver` brings over what is on its way, until nothing is. */
export interface CarrierPair {
  readonly ends: readonly [CarrierEnd, CarrierEnd];
  readonly deliver: () => void;
}

/** @param fateOf decides on each message. */
export function memoryCarriers(
  fateOf: (channel: string, bytes: Uint8Array) => Fate = () => "arrives",
): CarrierPair {
  const listeners: [CarrierListener[], CarrierListener[]] = [[], []];
  const queue: { to: 0 | 1; channel: string; bytes: Uint8Array }[] = [];
  const end = (from: 0 | 1): CarrierEnd => {
    const sent: CarrierEnd["sent"] = [];
    const late: typeof queue = [];
    return {
      sent,
      publish(channel, bytes) {
        sent.push({ channel, bytes });
        const message = { to: from === 0 ? 1 : 0, channel, bytes } as const;
        const fate = fateOf(channel, bytes);
        if (fate === "comes later") {
          late.push(message);
          return;
        }
        if (fate !== "is lost") queue.push(message);
        if (fate === "comes twice") queue.push(message);
        queue.push(...late.splice(0));
      },
      subscribe(listener) {
        listeners[from].push(listener);
        return () => {
          listeners[from] = listeners[from].filter((each) => each !== listener);
        };
      },
    };
  };
  return {
    ends: [end(0), end(1)],
    deliver() {
      for (let next = queue.shift(); next; next = queue.shift()) {
        for (const listen of listeners[next.to]) listen(next.channel, next.bytes);
      }
    },
  };
}
