const FATAL_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

type Cleanup = () => void;
type OnExit = (cleanup: Cleanup) => () => void;

/**
 * Runs `cleanup` when the process ends: by itself, by `process.exit`, by an uncaught exception, or by SIGTERM, SIGINT
 * or SIGHUP. It must be synchronous; its errors are dropped, so that the others still run. Returns a function that
 * removes the registration.
 *
 * A fatal signal is raised again after the clean-up, so that the process dies by it as it would without us. A program
 * with a handler of its own keeps control: the clean-up then waits for the exit.
 */
export const onExit: OnExit = sharedByAllCopies("agent-switchboard.on-exit", createOnExit);

function createOnExit(): OnExit {
  const cleanups = new Set<Cleanup>();

  return (cleanup) => {
    // A wrapper of its own, so that one function registered twice is two registrations.
    const registration = (): void => cleanup();
    if (cleanups.size === 0) listen();
    cleanups.add(registration);
    return () => {
      if (cleanups.delete(registration) && cleanups.size === 0) unlisten();
    };
  };

  function listen(): void {
    process.on("exit", cleanUp);
    // First in the list: a handler added with `once` is gone by the time later ones count.
    for (const signal of FATAL_SIGNALS) process.prependListener(signal, dieBy);
  }

  function unlisten(): void {
    process.off("exit", cleanUp);
    for (const signal of FATAL_SIGNALS) process.off(signal, dieBy);
  }

  function dieBy(signal: NodeJS.Signals): void {
    if (isSurvivable(signal)) return;
    cleanUp();
    unlisten();
    process.kill(process.pid, signal);
  }

  function cleanUp(): void {
    for (const cleanup of cleanups) {
      try {
        cleanup();
      } catch {
        // There is no one left to report it to.
      }
    }
    cleanups.clear();
  }
}

/** The program handles the signal itself, or it is process 1, which no unhandled signal can end. */
function isSurvivable(signal: NodeJS.Signals): boolean {
  return process.pid === 1 || process.listenerCount(signal) > 1 + signalExitListeners();
}

/**
 * The library `signal-exit`, which many packages use, raises a signal again when it counts only its own listeners. If
 * we took its listeners for the program's, each would wait for the other and the signal would be lost. Its versions 4
 * and 3 publish their count in these two places.
 */
function signalExitListeners(): number {
  const emitters: unknown[] = [
    Reflect.get(globalThis, Symbol.for("signal-exit emitter")),
    Reflect.get(process, "__signal_exit_emitter__"),
  ];
  return emitters.reduce<number>((sum, emitter) => sum + countOf(emitter), 0);
}

function countOf(emitter: unknown): number {
  const isPublished = typeof emitter === "object" && emitter !== null && "count" in emitter;
  return isPublished && typeof emitter.count === "number" ? emitter.count : 0;
}

/** Two copies of this module in one process would count each other as the program's own handlers. */
function sharedByAllCopies<Shared>(name: string, create: () => Shared): Shared {
  const key = Symbol.for(name);
  const existing = Reflect.get(globalThis, key) as Shared | undefined;
  if (existing !== undefined) return existing;
  const created = create();
  Reflect.set(globalThis, key, created);
  return created;
}
