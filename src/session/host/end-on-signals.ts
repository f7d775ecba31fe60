const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** The first signal ends the session in order. The second exits at once; the watchdog ends the processes. */
export function onSignals(end: () => void): () => void {
  let asked = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(128 + SIGNALS[signal as keyof typeof SIGNALS]);
    asked = true;
    end();
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, handle);
  return () => {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, handle);
  };
}
