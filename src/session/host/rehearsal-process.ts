import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startChild } from "../../proc/start-child.ts";
import { rehearsalArguments } from "../../rehearsal/rehearsal-arguments.ts";
import { fromWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";

export interface RehearsalProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A scripted model in a process of its own, which ends with ours.
 *
 * @throws the rehearsal's own error about its script, such as `script_invalid`; `start_failed`.
 */
export async function startRehearsalProcess(script: string): Promise<RehearsalProcess> {
  const child = startChild({ command: process.execPath, args: rehearsalArguments(script) });
  const stop = async (): Promise<void> => void (await child.stop({ askMs: 0 }));
  const lastWords = text(child.process.stderr);
  const first = await Promise.race([
    once(child.process.stdout, "data").then(([chunk]) => String(chunk)),
    child.exited.then(() => undefined),
  ]);
  if (first === undefined) throw failureOf(await lastWords);
  return { url: (JSON.parse(first) as { url: string }).url, stop };
}

function failureOf(words: string): Error {
  try {
    return fromWire(JSON.parse(words) as Parameters<typeof fromWire>[0]);
  } catch {
    return errorOf("start_failed", `The rehearsal did not start: ${words.trim()}`);
  }
}
