const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const listening = new Set<(name: string) => void>();

/**
 * Tells those that listen that the reader of our output is gone, as the signal of that name would. The signal itself
 * must stay ignored: the system sends it also when a client of ours closes a socket. Returns false when no command
 * listens.
 */
export function interruptForReader(): boolean {
  for (const resolve of listening) resolve("SIGPIPE");
  return listening.size > 0;
}

export interface Interruption extends Disposable {
  /** Resolves with the name of the first signal. */
  readonly first: Promise<string>;
}

/**
 * Listens for the signals with which a person or the system ends us, until it is disposed of. Signals after the first
 * are ignored: the command cleans up in bounded time, and an interrupted stop would leave agents running. One Ctrl+C
 * may be two signals, when npm passes it on.
 */
export function listenForInterruption(): Interruption {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of SIGNALS) process.on(signal, resolve);
  listening.add(resolve);
  return {
    first: promise,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, resolve);
      listening.delete(resolve);
    },
  };
}
