import { text } from "node:stream/consumers";
import type { Environment } from "./child-environment.ts";
import { startChild } from "./start-child.ts";

interface Errand {
  command: string;
  args: readonly string[];
  /** The whole environment; `childEnvironment()` by default. */
  env?: Environment;
  /** After this it is ended, with everything it started. */
  timeoutMs: number;
}

interface ErrandEnd {
  /** It ended by itself, with 0. */
  ok: boolean;
  out: string;
  err: string;
}

/**
 * Runs a program without input and with little output, and waits for its end without blocking. A failure or time-out
 * is an outcome, not an error.
 *
 * @throws `start_failed` when there is no such program.
 */
export async function runToEnd({ timeoutMs, ...errand }: Errand): Promise<ErrandEnd> {
  const child = startChild(errand);
  child.process.stdin.end();
  // The code below learns whether and how it ends.
  const timer = setTimeout(() => void child.stop().catch(() => {}), timeoutMs);
  try {
    const [{ code }, out, err] = await Promise.all([
      child.exited,
      text(child.process.stdout),
      text(child.process.stderr),
    ]);
    return { ok: code === 0, out, err };
  } finally {
    clearTimeout(timer);
  }
}
