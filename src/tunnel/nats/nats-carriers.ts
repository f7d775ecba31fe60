import type { Carrier, CarrierListener, Carriers } from "../carrier.ts";

/** What a connection to a server can do. */
export interface NatsPort {
  publish(subject: string, bytes: Uint8Array): void;
  subscribe(subject: string, listener: (subject: string, bytes: Uint8Array) => void): () => void;
}

// sb.TEAM.h.HOST.up.CHANNEL goes to the team, sb.TEAM.h.HOST.dn.CHANNEL to the host. The server's permissions follow these names.

const subjectOf = (team: string, host: string, way: "up" | "dn", channel: string): string =>
  `sb.${team}.h.${host}.${way}.${channel}`;

export const hostCarrier = (nats: NatsPort, team: string, host: string): Carrier => ({
  publish: (channel, bytes) => nats.publish(subjectOf(team, host, "up", channel), bytes),
  subscribe: (listener) =>
    nats.subscribe(subjectOf(team, host, "dn", "*"), (subject, bytes) =>
      listener(subject.split(".").at(-1) ?? "", bytes),
    ),
});

const HOST_AT = 3;

/** One subscription for all hosts: what is sent by one of them arrives in the order in which it was sent. */
export function carriersToHosts(nats: NatsPort, team: string): Carriers {
  const listeners = new Map<string, Set<CarrierListener>>();
  const heard = new Set<string>();
  let onPeer: ((host: string) => void) | undefined;
  nats.subscribe(subjectOf(team, "*", "up", "*"), (subject, bytes) => {
    const tokens = subject.split(".");
    const [host = "", channel = ""] = [tokens[HOST_AT], tokens.at(-1)];
    if (!heard.has(host)) {
      heard.add(host);
      onPeer?.(host);
    }
    for (const listen of listeners.get(host) ?? []) listen(channel, bytes);
  });
  return {
    onPeer(listener) {
      onPeer = listener;
      for (const host of heard) listener(host);
    },
    to: (host) => ({
      publish: (channel, bytes) => nats.publish(subjectOf(team, host, "dn", channel), bytes),
      subscribe(listener) {
        const known = listeners.get(host) ?? new Set();
        listeners.set(host, known.add(listener));
        return () => void known.delete(listener);
      },
    }),
  };
}
