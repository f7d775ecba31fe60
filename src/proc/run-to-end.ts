import { text } from "node:stream/consumers";
import type { Environment } from "./environment.ts";
import { startChild } from "./start-child.ts";

interface Errand {
  command: string;
  args: readonly string[];
  /** The whole environment; `childEnvironment()` unless told. */
  env?: Environment;
  /** After this it is ended, with all that it started. */
  timeoutMs: number;
}

interface ErrandEnd {
  /** It has ended by itself, with 0. */
  ok: boolean;
  out: string;
  err: string;
}

/**
 * Runs a program that asks nothing and says little, and waits for its end without holding anybody up.
 * That it fails or takes too long is an outcome.
 *
 * @throws `start_failed` when there is no such program.
 */
export async function runToEnd({ timeoutMs, ...errand }: Errand): Promise<ErrandEnd> {
  const child = startChild(errand);
  child.process.stdin.end();
  // Whether it ends, and how, is heard below.
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
