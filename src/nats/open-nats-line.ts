import type { ClaudeCodeError } from "../wire/errors.ts";
import { connectToNats, refusedOrLost } from "./connect-nats.ts";
import type { NatsAccess } from "./nats-access.ts";

type Unsubscribe = () => void;

/** A connection over which messages may be lost: for what is said again and again, and for questions. */
export interface NatsLine {
  /** While there is no connection, nothing is sent. */
  publish(subject: string, bytes: Uint8Array): void;
  subscribe(subject: string, listener: (subject: string, bytes: Uint8Array) => void): Unsubscribe;
  /** The first answer; undefined when nobody answers in time, or nobody listens. */
  ask(subject: string, bytes: Uint8Array, waitMs: number): Promise<Uint8Array | undefined>;
  answer(subject: string, answer: (bytes: Uint8Array) => Promise<Uint8Array>): Unsubscribe;
  /** Resolves when it does not come back: with the reason, unless it was closed here. */
  readonly closed: Promise<ClaudeCodeError | undefined>;
  close(): Promise<void>;
}

const RECONNECT_MS = 250;

/** @throws `connection_failed` when there is no server; `bus_refused` when it does not take us. */
export async function openNatsLine(access: NatsAccess): Promise<NatsLine> {
  const nc = await connectToNats(access, { reconnectTimeWait: RECONNECT_MS });
  let isConnected = true;
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === "disconnect") isConnected = false;
      if (type === "reconnect") isConnected = true;
    }
  })().catch(() => {});
  return {
    // What is published while there is no connection would be sent much later, when nothing waits for it any more.
    publish(subject, bytes) {
      if (isConnected && !nc.isClosed()) nc.publish(subject, bytes);
    },
    subscribe(subject, listener) {
      const subscription = nc.subscribe(subject, {
        callback: (error, message) => {
          if (!error) listener(message.subject, message.data);
        },
      });
      return () => subscription.unsubscribe();
    },
    async ask(subject, bytes, waitMs) {
      try {
        return (await nc.request(subject, bytes, { timeout: waitMs })).data;
      } catch {
        return undefined;
      }
    },
    answer(subject, answer) {
      const subscription = nc.subscribe(subject);
      void (async () => {
        for await (const message of subscription) message.respond(await answer(message.data));
      })().catch(() => {});
      return () => subscription.unsubscribe();
    },
    closed: nc.closed().then((error) => (error ? refusedOrLost(error, access.url) : undefined)),
    async close() {
      if (!nc.isClosed()) await nc.flush().catch(() => {});
      await nc.close();
    },
  };
}
