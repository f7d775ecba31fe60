import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { spawnProcess } from "./spawn-process.ts";
import { standDown, sweepScript } from "./sweep-script.ts";
import { sweepShell } from "./sweep-processes.ts";
import { ownSession } from "./process-identity.ts";
import { threadMark } from "./tree-mark.ts";

type Pipe = Readable | Writable;

/**
 * One `sh` per host waits for the host's death, however it comes, and then ends all that carries the host's
 * mark. The kernel tells it of the death by closing the write end of a pipe. It also holds open what is not to be
 * closed before the sweep is over. A worker thread has a watchdog of its own, because the pipe closes with
 * the thread; so do death signals. The rule for both is: a child dies with the thread that started it.
 */
let watchdog: { pipe: Socket; startedAt: number } | undefined;
const sessions = new Set<string>();
const held = new Set<Pipe>();

/**
 * Until a dead watchdog is replaced, a death of ours would go unseen, so that happens at once. Only when so many in a row
 * have died within this time, the next one comes after it: a broken `sh` causes no busy loop.
 */
const soundAfterMs = 1_000;
const maxYoungDeaths = 5;
let youngDeaths = 0;
let nextTry: NodeJS.Timeout | undefined;

/** Call this before a child starts: it must never run unwatched. Throws `start_failed`. */
export function ensureWatchdog(): void {
  if (watchdog === undefined) startWatchdog();
}

/**
 * Our ends of these pipes stay open when we die, until the sweep is over. A kernel closes the files of a dying
 * process before it sends the death signal, and a child can do much in between: Claude Code writes into its file that
 * there was no answer, and the question is used up. They are sockets, so `end` ends them as before; `destroy` does
 * not.
 *
 * A descriptor can only be inherited, so another watchdog takes over. Throws `start_failed`.
 */
export function holdPipes(pipes: readonly Pipe[]): void {
  for (const pipe of pipes) held.add(pipe);
  const last = watchdog;
  startWatchdog();
  last?.pipe.end(`${standDown}\n`);
}

function startWatchdog(): void {
  for (const pipe of held) if (pipe.destroyed) held.delete(pipe);
  const shell = sweepShell("switchboard-watch", threadMark(), ownSession());
  const process = spawnProcess(shell, {
    ...shell.options,
    stdio: ["pipe", "ignore", "ignore", "pipe", ...[...held].flatMap(descriptorOf)],
  });
  const pipe = process.stdio[3] as Socket;
  const started = { pipe, startedAt: Date.now() };
  process.on("exit", () => lose(started));
  process.stdin?.on("error", () => {}).end(sweepScript);
  pipe.on("error", () => {});
  neverKeepAlive(process, pipe);
  watchdog = started;
  for (const session of sessions) tell(`+${session}`);
}

/** The descriptor's number: Node stops reading our end of a stream that is passed itself. */
function descriptorOf(pipe: Pipe): number[] {
  const { _handle: handle } = pipe as { _handle?: { fd?: number } | null };
  return handle?.fd !== undefined && handle.fd >= 0 ? [handle.fd] : [];
}

export function watchSession(session: string): void {
  sessions.add(session);
  tell(`+${session}`);
}

export function forgetSession(session: string): void {
  sessions.delete(session);
  tell(`-${session}`);
}

function tell(line: string): void {
  watchdog?.pipe.write(`${line}\n`);
}

/** The watchdog was ended. While there are children to watch, another one replaces it. */
function lose(lost: { startedAt: number }): void {
  if (watchdog !== lost) return;
  watchdog = undefined;
  youngDeaths = Date.now() - lost.startedAt < soundAfterMs ? youngDeaths + 1 : 0;
  if (youngDeaths <= maxYoungDeaths) replace();
  else replaceLater();
}

function replace(): void {
  if (sessions.size === 0) return;
  try {
    ensureWatchdog();
  } catch {
    // The system has no room for it now.
    replaceLater();
  }
}

function replaceLater(): void {
  nextTry ??= setTimeout(() => {
    nextTry = undefined;
    replace();
  }, soundAfterMs).unref();
}

function neverKeepAlive(process: ChildProcess, pipe: Socket): void {
  process.unref();
  pipe.unref();
}
