import { fileURLToPath } from "node:url";
import { startChild } from "../proc/start-child.ts";
import type { ChildExit, StopReport } from "../proc/stop-in-stages.ts";
import { errorOf } from "../wire/errors.ts";

// The same path from src/ and from dist/, which are siblings.
const program = fileURLToPath(new URL("../../bin/agent-socket.js", import.meta.url));

/** The end of a host's output, for a report. */
const TAIL_CHARS = 400;
/** How long a host has to end before it gets SIGTERM again, and then SIGKILL. */
const END_MS = 20_000;

/** An agent-socket process, as a user starts it. */
export interface HostProcess {
  readonly pid: number;
  /** Resolves with the session's id. Rejects with the host's output when it ends first. */
  readonly ready: Promise<string>;
  /** Resolves with its last output when it ends by itself, neither killed nor stopped. */
  readonly lost: Promise<string>;
  /** It has ended, and nothing that it started is left. */
  readonly gone: Promise<unknown>;
  kill(): Promise<ChildExit>;
  /** SIGTERM, then stronger signals. */
  stop(): Promise<StopReport>;
}

export function startHostProcess(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): HostProcess {
  const child = startChild({ command: process.execPath, args: [program, ...args], env, cwd });
  const { stdin, stdout, stderr } = child.process;
  stdin.end();
  let [said, complained] = ["", ""];
  stderr.setEncoding("utf8").on("data", (text: string) => {
    complained = (complained + text).slice(-TAIL_CHARS);
  });
  const ready = Promise.withResolvers<string>();
  stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes("\n")) ready.resolve(sessionIn(said));
  });
  let isEnding = false;
  const lost = Promise.withResolvers<string>();
  child.process.once("exit", (code, signal) => {
    const last = complained.trim().replaceAll(/\s+/g, " ");
    const words = `agent-socket ended by itself with ${code ?? signal}: ${last}`;
    ready.reject(errorOf("start_failed", words));
    if (!isEnding) lost.resolve(words);
  });
  // `lost` reports a host that ends later.
  ready.promise.catch(() => {});
  return {
    pid: child.pid,
    ready: ready.promise,
    lost: lost.promise,
    gone: child.gone,
    kill() {
      isEnding = true;
      child.process.kill("SIGKILL");
      return child.exited;
    },
    stop() {
      isEnding = true;
      return child.stop({ ask: () => child.process.kill("SIGTERM"), askMs: END_MS });
    },
  };
}

const sessionIn = (line: string): string =>
  (JSON.parse(line.slice(0, line.indexOf("\n"))) as { session_id: string }).session_id;
