const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Interruption extends Disposable {
  /** Resolves with the name of the first signal. */
  readonly first: Promise<string>;
}

/**
 * Listens for the signals with which a person or the system ends us, from now until it is disposed of. Those
 * after the first change nothing: whoever listens puts things in order in bounded time, and a stop that is
 * cut short would leave agents running. One Ctrl+C may well be two signals, when npm passes it on.
 */
export function listenForInterruption(): Interruption {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of SIGNALS) process.on(signal, resolve);
  return {
    first: promise,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, resolve);
    },
  };
}
